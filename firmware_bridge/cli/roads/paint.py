"""How a terminal is drawn on: colours where it has them, shapes that say the same, and text that is never broken."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from typing import Final, NamedTuple
from unicodedata import east_asian_width

COLOURS: Final = {"red": "1;31", "blue": "1;94", "green": "1;32", "dim": "2", "title": "1"}

SHAPES: Final = {
    "utf": {"big-eye": "○□", "small": "●■", "cockroach": "╱╲", "empty": "·", "earlier": "‹", "later": "›"},
    "ascii": {"big-eye": "o#", "small": "@%", "cockroach": "/\\", "empty": ".", "earlier": "<", "later": ">"},
}
"""Road -> the shape of a red sign, round or rising, and of a blue one, square or falling."""


class Paint(NamedTuple):
    """How this terminal can be drawn on."""

    colours: bool
    shapes: dict[str, str]
    width: int

    def __call__(self, text: str, style: str) -> str:
        """Text in a style, where there are colours."""
        return f"\x1b[{style}m{text}\x1b[0m" if self.colours else text

    def sign(self, road: str, which: str | None) -> str:
        """A sign of a derived road."""
        if which is None:
            return self("-", COLOURS["dim"])
        return self(self.shapes[road][which != "R"], COLOURS["red" if which == "R" else "blue"])


def terminal() -> Paint:
    """The terminal that stdout is, or a pipe."""
    is_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    encoding = (sys.stdout.encoding or "ascii").lower()
    shapes = SHAPES["utf" if encoding.startswith("utf") else "ascii"]
    return Paint(is_terminal and "NO_COLOR" not in os.environ, shapes, shutil.get_terminal_size().columns)


class Text(NamedTuple):
    """What is printed, and how many columns of the terminal it takes: colours take none."""

    printed: str
    wide: int


def plain(text: str) -> Text:
    """A text without colours."""
    return Text(text, wide(text))


def wrapped(parts: Iterable[Text], width: int, gap: str = "  ") -> list[Text]:
    """Parts in lines of at most `width` columns; none is broken."""
    lines: list[Text] = []
    for part in parts:
        if lines and lines[-1].wide + len(gap) + part.wide <= width:
            lines[-1] = Text(lines[-1].printed + gap + part.printed, lines[-1].wide + len(gap) + part.wide)
        else:
            lines.append(part)
    return lines


def wide(text: str) -> int:
    """Columns of the terminal a text takes: Chinese signs take two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
