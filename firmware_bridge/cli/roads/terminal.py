"""The roads in a terminal: letters and shapes tell what colours tell, and stay when there are no colours."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple
from unicodedata import east_asian_width

from firmware_bridge.games.baccarat.drawn.words import WORDS, Kind, Language, Words, good_name
from firmware_bridge.games.baccarat.roads import ROWS, Board, Cell

GAP: Final = 3
NARROWEST: Final = 40
COLOURS: Final = {"red": "1;31", "blue": "1;94", "green": "1;32", "dim": "2", "title": "1"}
BEADS: Final = {"red": ("B", "1;97;41"), "blue": ("P", "1;97;44"), "green": ("T", "1;30;42")}

SHAPES: Final = {
    "utf": {"big-eye": "○□", "small": "●■", "cockroach": "╱╲", "empty": "·"},
    "ascii": {"big-eye": "o#", "small": "@%", "cockroach": "/\\", "empty": "."},
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


class Block(NamedTuple):
    """Lines to stand beside others; `wide` is how many columns of the terminal they take."""

    wide: int
    lines: list[str]


def screen(board: Board, language: Language, only: Kind | None = None, paint: Paint | None = None) -> str:
    """The whole picture, or one road's."""
    paint, words = paint or _terminal(), WORDS[language]
    parts = [_band(board, paint, words, kinds) for kinds in _bands(only, paint.width)]
    if only in (None, "ask"):
        parts.append(list(_asked(board, paint, words)))
    if only in (None, "good"):
        names = ", ".join(good_name(name, language) for name in board.good_roads) or words.none
        parts.append([f"{paint(words.roads['good'], COLOURS['title'])}  {names}"])
    if only is None:
        parts.append([paint(_legend(paint, words), COLOURS["dim"])])
    return "\n\n".join("\n".join(part) for part in parts)


def _terminal() -> Paint:
    is_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    encoding = (sys.stdout.encoding or "ascii").lower()
    shapes = SHAPES["utf" if encoding.startswith("utf") else "ascii"]
    return Paint(is_terminal and "NO_COLOR" not in os.environ, shapes, shutil.get_terminal_size().columns)


def _bands(only: Kind | None, width: int) -> list[list[Kind]]:
    """Which roads stand side by side."""
    if only:
        return [] if only in ("ask", "good") else [[only]]
    if width < 110:
        return [["bead"], ["big"], ["big-eye"], ["small", "cockroach"]]
    return [["bead", "big"], ["big-eye"], ["small", "cockroach"]]


def _band(board: Board, paint: Paint, words: Words, kinds: list[Kind]) -> list[str]:
    width = max(paint.width, NARROWEST) - GAP * (len(kinds) - 1)
    blocks, left = [], width
    for place, kind in enumerate(kinds):
        share = 36 if kind == "bead" and len(kinds) > 1 else left // (len(kinds) - place)
        blocks.append(_block(board, paint, words, kind, share))
        left -= share
    return [(" " * GAP).join(row).rstrip() for row in zip_longest(*[block.lines for block in blocks], fillvalue="")]


def _block(board: Board, paint: Paint, words: Words, kind: Kind, width: int) -> Block:
    """A road with its title, scrolled to its newest columns."""
    cells = dict(_drawn(board, paint, kind))
    size = 3 if kind == "bead" else 2
    columns = width // size
    first = max(0, max((column for column, _ in cells), default=0) - columns) + 1
    empty = paint(paint.shapes["empty"], COLOURS["dim"])
    blank = f" {empty} " if kind == "bead" else f"{empty} "
    title = words.roads[kind]
    lines = [paint(title, COLOURS["title"]) + " " * (width - _wide(title))]
    for row in range(1, ROWS + 1):
        filled = "".join(cells.get((column, row), blank) for column in range(first, first + columns))
        lines.append(filled + " " * (width - size * columns))
    return Block(width, lines)


def _drawn(board: Board, paint: Paint, kind: Kind) -> Iterator[tuple[Cell, str]]:
    """The cells of a road, each as two columns of the terminal (a bead: three)."""
    if kind == "bead":
        for column, row, colour, banker_pair, player_pair in board.bead:
            letter, style = BEADS[colour]
            text = f"{chr(39) if banker_pair else ' '}{letter}{',' if player_pair else ' '}"
            yield (column, row), paint(text, style)
    elif kind == "big":
        for column, row, colour, ties, _ in board.big_grid:
            yield (column, row), paint(BEADS[colour][0], COLOURS[colour]) + paint(_ties(ties), COLOURS["green"])
    else:
        for column, row, sign in _grid(board, kind):
            yield (column, row), paint.sign(kind, sign) + " "


def _grid(board: Board, kind: Kind) -> Sequence[tuple[int, int, str]]:
    return {"big-eye": board.big_eye_grid, "small": board.small_grid, "cockroach": board.cockroach_grid}[kind]


def _ties(count: int) -> str:
    """One tie is a slash, more are a number [000]."""
    return " " if not count else "/" if count == 1 else str(count) if count < 10 else "+"


def _asked(board: Board, paint: Paint, words: Words) -> Iterable[str]:
    yield paint(words.roads["ask"], COLOURS["title"])
    widest = max(map(_wide, words.next.values()))
    for side, colour in (("banker", "red"), ("player", "blue")):
        answers = zip(("big-eye", "small", "cockroach"), board.ask[side], strict=True)
        signs = "  ".join(paint.sign(road, which) for road, which in answers)
        label = words.next[side] + " " * (widest - _wide(words.next[side]))
        yield f"{paint(label, COLOURS[colour])}  {signs}"


def _legend(paint: Paint, words: Words) -> str:
    red, blue = (" ".join(paint.shapes[road][place] for road in ("big-eye", "small", "cockroach")) for place in (0, 1))
    letters = "  ".join(f"{letter} {word}" for letter, word in words.sides.items())
    pairs = f"' {words.pairs['B']}  , {words.pairs['P']}"
    return f"{letters}  {pairs}\n{red} {words.regular}   {blue} {words.irregular}   / 2 3 {words.sides['T']}"


def _wide(text: str) -> int:
    """Columns of the terminal a text takes: Chinese signs take two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)
