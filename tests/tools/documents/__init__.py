"""Files in docs/ generated from the code: messages, wiring, roads, rooms, a walk through a round of each game."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from firmware_bridge.cli import main
from firmware_bridge.games.baccarat.drawn.words import WORDS
from tests.tools.documents import rooms, walkthrough
from tests.tools.messages.document import document, encoded
from tests.tools.messages.page import page

ROOT: Final = Path(__file__).parents[3]
DOCS: Final = ROOT / "docs"
SHOE: Final = (DOCS / "roads/shoe.txt").read_text("utf-8").split()

ROADS: Final[dict[str, tuple[str, ...]]] = {
    **{str(kind): ("--road", kind, "--theme", "light") for kind in WORDS["en"].roads},
    "board-light-en": ("--theme", "light", "--title", "Table T07 · Shoe 12"),
    "board-dark-zh-Hant": ("--theme", "dark", "--lang", "zh-Hant", "--title", "T07 號枱 · 第 12 靴"),
    "board-light-zh-Hans": ("--theme", "light", "--lang", "zh-Hans", "--title", "T07 号桌 · 第 12 靴", "--pair-dots"),
    "board-upright-en": ("--size", "720x1280", "--title", "Table T07 · Shoe 12"),
}
"""Name of a picture in docs/roads -> options of `shoe roads`."""

EXAMPLES: Final = {"wiring.svg": "bridge.toml", "wiring-blackjack.svg": "blackjack.toml"}
"""Picture of a wiring -> the example config in systemd/."""


def drawn(*words: str) -> bytes:
    """The picture that a `shoe` command writes with `--svg`. Raises RuntimeError if the command fails."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "drawn.svg"
        with contextlib.redirect_stdout(io.StringIO()):
            if main([*words, "--svg", str(file)]):
                raise RuntimeError(f"shoe {' '.join(words)} failed")
        return file.read_bytes()


DOCUMENTS: Final[dict[str, Callable[[], bytes]]] = {
    "messages.md": lambda: page().encode(),
    "asyncapi.json": lambda: encoded(document()),
    "rooms.svg": lambda: rooms.svg().encode(),
    "walkthrough.md": lambda: walkthrough.page().encode(),
    **{
        name: lambda config=config: drawn("wiring", "--config", str(ROOT / "systemd" / config))  # type: ignore[misc]
        for name, config in EXAMPLES.items()
    },
    **{
        f"roads/{name}.svg": lambda options=options: drawn("roads", *SHOE, *options)  # type: ignore[misc]
        for name, options in ROADS.items()
    },
}
"""File in docs/ -> function that makes its bytes."""


def stale() -> list[str]:
    """The files in docs/ that differ from what the code makes."""
    return [name for name, make in DOCUMENTS.items() if not same(DOCS / name, make())]


def same(file: Path, wanted: bytes) -> bool:
    """Whether the file is there with these bytes."""
    return file.exists() and file.read_bytes() == wanted
