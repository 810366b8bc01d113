"""The marks of the roads, each drawn in its cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from firmware_bridge.games.baccarat.drawn.shapes import Dot, Ink, Label, Line, Ring, Shape
from firmware_bridge.games.baccarat.drawn.words import Kind, Words

SIGNS: Final[dict[str, Ink]] = {"R": "red", "B": "blue"}
LINES: Final[dict[str, Ink]] = {"red": "red", "blue": "blue", "green": "green"}
FILLS: Final[dict[str, Ink]] = {"red": "banker", "blue": "player", "green": "tie"}
"""A bead's colour -> what its letter stands on."""

LETTERS: Final = {"red": "B", "blue": "P", "green": "T"}
CORNER: Final = 0.33
"""How far from the middle of its cell a dot in a corner lies, in cells; across and down."""


def bead(x: float, y: float, size: float, words: Words, colour: str, *told: bool) -> Iterator[Shape]:
    """A bead with its letter; told: banker pair, player pair, natural, each a dot in a corner."""
    yield Dot(x, y, size * 0.41, FILLS[colour])
    letter = words.letters[LETTERS[colour]]
    yield Label(x, y + size * 0.155, letter, size * 0.43, "white", "middle", bold=True)
    yield from corners(x, y, size, "white", told)


def corners(x: float, y: float, size: float, around: Ink, told: Sequence[bool]) -> Iterator[Shape]:
    """Dots: banker pair upper left, player pair lower right, natural upper right; `around` sets those of pairs off."""
    dots: tuple[tuple[int, int, Ink, Ink], ...] = (
        (-1, -1, "banker", around),
        (1, 1, "player", around),
        (1, -1, "gold", "on_gold"),
    )
    for (across, down, ink, ring), is_there in zip(dots, told, strict=False):
        if is_there:
            yield from dot(x + across * size * CORNER, y + down * size * CORNER, size, ink, ring)


def dot(x: float, y: float, size: float, ink: Ink, around: Ink) -> Iterator[Shape]:
    """The dot of a pair or a natural, as it lies in a cell of `size`."""
    yield Dot(x, y, size * 0.15, around)
    yield Dot(x, y, size * 0.105, ink)


def ring(x: float, y: float, size: float, colour: str, ties: int, *pairs: bool, on: Ink = "panel") -> Iterator[Shape]:
    """A bead of the big road: one tie is a green slash through it, more are a green number in it."""
    yield Ring(x, y, size * 0.34, LINES[colour], size * 0.1)
    if ties == 1:
        reach = size * 0.34
        for ink, width in ((on, 0.2), (LINES["green"], 0.1)):
            yield Line(x - reach, y + reach, x + reach, y - reach, ink, size * width)
    elif ties:
        digits = size * (0.46 if ties < 10 else 0.34)
        yield Label(x, y + digits * 0.36, str(ties), digits, "green", "middle", bold=True)
    yield from corners(x, y, size, on, pairs)


def sign(kind: Kind, x: float, y: float, size: float, which: str) -> Shape:
    """A sign of a derived road in a cell of `size`: hollow ring, solid dot or slash."""
    ink = SIGNS[which]
    if kind == "big-eye":
        return Ring(x, y, size * 0.31, ink, size * 0.13)
    if kind == "small":
        return Dot(x, y, size * 0.36, ink)
    reach = size * 0.31
    return Line(x - reach, y + reach, x + reach, y - reach, ink, size * 0.14)


def chevron(x: float, y: float, side: Literal[-1, 1], size: float) -> Iterator[Shape]:
    """A point to the left (-1) or the right (1), of this height: more lies there."""
    reach = side * size / 4
    for end in (-size / 2, size / 2):
        yield Line(x - reach / 2, y + end, x + reach / 2, y, "text", max(2, size / 6))
