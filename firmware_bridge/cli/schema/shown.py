"""An example as a reader wants to see it: long values cut, lines of a width that fits a page."""

from __future__ import annotations

from typing import Any, Final

import msgspec

WIDTH: Final = 120
MOST: Final = {str: 160, list: 4, dict: 8}
"""Characters, items and keys at which a value inside of an example is cut."""

CUT: Final = ".."


def shown(example: dict[str, Any]) -> str:
    """A JSON object over as many lines as it needs; `..` stands for what is left out."""
    parts = [f"{_text(name)}: {_text(_cut(value))}" for name, value in example.items()]
    lines = [""]
    for part in parts:
        if lines[-1] and len(lines[-1]) + len(part) > WIDTH:
            lines.append("")
        lines[-1] += f"{part}, "
    return "{" + "\n ".join(lines)[:-2].replace(" \n", "\n") + "}"


def _cut(value: Any) -> Any:
    match value:
        case str() if len(value) > MOST[str]:
            return value[:12] + CUT
        case list():
            cut = [_cut(each) for each in value]
            return [*cut[: MOST[list]], CUT] if len(cut) > MOST[list] + 1 else cut
        case dict():
            kept = {name: _cut(each) for name, each in value.items()}
            return dict(list(kept.items())[: MOST[dict]]) | {CUT: CUT} if len(kept) > MOST[dict] + 1 else kept
    return value


def _text(value: Any) -> str:
    return msgspec.json.format(msgspec.json.encode(value), indent=0).decode()
