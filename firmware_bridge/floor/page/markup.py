"""HTML that is put together from parts: whatever is no HTML is escaped."""

from __future__ import annotations

from html import escape
from typing import Final

VOID: Final = ("meta", "link", "br", "hr")


class Html(str):
    """Text that is HTML as it stands; only this module and the drawn roads make it."""

    __slots__ = ()


Part = Html | str | int | None
"""What may stand in an element: a plain text is escaped, None is nothing."""


def tag(name: str, /, *parts: Part, **attributes: str | int | bool | None) -> Html:
    """An element. An attribute that is None or False is left out; `_` in its name is `-`, at the end it is nothing."""
    told = "".join(
        _attribute(key, value) for key, value in attributes.items() if value is not None and value is not False
    )
    return Html(f"<{name}{told}>" if name in VOID else f"<{name}{told}>{joined(*parts)}</{name}>")


def joined(*parts: Part) -> Html:
    """Parts one after the other."""
    return Html("".join(part if isinstance(part, Html) else escape(str(part)) for part in parts if part is not None))


def _attribute(key: str, value: str | int | bool) -> str:
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
