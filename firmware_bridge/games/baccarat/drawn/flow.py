"""Signs with a word each, one after the other in lines: counts, and the legend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from firmware_bridge.games.baccarat.drawn.lettering import wide
from firmware_bridge.games.baccarat.drawn.shapes import Box, Label, Shape

SMALLEST: Final = 8
LINE: Final = 1.6
"""Height of a line, in sizes of its letters."""


Draw = Callable[[int, float, float, float], Iterator[Shape]]
"""The shapes of sign `n` (from 0) about a middle `x`, `y`, in a cell of `size`."""


class Item(NamedTuple):
    """A row of signs and what they mean; `number` stands before the word."""

    draw: Draw
    signs: int
    word: str
    number: str = ""


def flow(items: Sequence[Item], place: Box, size: float) -> Iterator[Shape]:
    """The items in letters of `size`, or as much smaller as they must be to stay in their place."""
    while size > SMALLEST and len(_lines(items, place.width, size)) * size * LINE > place.height:
        size -= 0.5
    lines = _lines(items, place.width, size)
    step = min(place.height / len(lines), size * 2) if lines else 0
    y = place.y + (place.height - step * (len(lines) - 1)) / 2
    for line in lines:
        x = place.x
        for item in line:
            yield from _item(item, x, y, size)
            x += _width(item, size)
        y += step


def _lines(items: Sequence[Item], room: float, size: float) -> list[list[Item]]:
    lines: list[list[Item]] = []
    left = 0.0
    for item in items:
        width = _width(item, size)
        if not lines or width - size > left:  # behind the last of a line nothing need be free
            lines.append([])
            left = room
        lines[-1].append(item)
        left -= width
    return lines


def _item(item: Item, x: float, y: float, size: float) -> Iterator[Shape]:
    cell = _cell(size)
    for number in range(item.signs):
        yield from item.draw(number, x + cell / 2, y, cell)
        x += cell
    x += size * 0.35
    if item.number:
        yield Label(x, y + size * 0.36, item.number, size, "text", bold=True)
        x += wide(item.number, size, bold=True) + size * 0.4
    yield Label(x, y + size * 0.36, item.word, size, "text")


def _cell(size: float) -> float:
    return size * 1.5


def _width(item: Item, size: float) -> float:
    """What an item takes, with the gap behind it."""
    count = wide(item.number, size, bold=True) + size * 0.4 if item.number else 0
    return item.signs * _cell(size) + size * 0.35 + wide(item.word, size) + count + size * 1.4
