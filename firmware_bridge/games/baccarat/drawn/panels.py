"""The panels of a board besides grids: ask road, good roads, and the legend."""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Final, Literal, NamedTuple

from firmware_bridge.facts.languages import Language
from firmware_bridge.games.baccarat.drawn.grid import TITLE_LETTERS, framed, ring, sign
from firmware_bridge.games.baccarat.drawn.shapes import Box, Ink, Label, Line, Shape, fitted, folded, wide
from firmware_bridge.games.baccarat.drawn.words import Kind, Words, good_name
from firmware_bridge.games.baccarat.roads import ALL_GOOD, Board, GoodId

DERIVED: Final[tuple[Kind, ...]] = ("big-eye", "small", "cockroach")
SIDES: Final[dict[str, Ink]] = {"banker": "banker", "player": "player"}

GAP: Final = 12
"""Units between cards and between chips."""

SPREAD: Final = 170
"""From this height on the ask road names its roads, a line each."""

SMALLEST: Final = 8

LINE: Final = 1.6
"""Height of a line, in sizes of its letters."""

Draw = Callable[[int, float, float, float], Iterator[Shape]]
"""The shapes of sign `n` (from 0) about a middle `x`, `y`, in a cell of `size`."""


class Item(NamedTuple):
    """A row of signs and their meaning; `number` stands before the word."""

    draw: Draw
    signs: int
    word: str
    number: str = ""


def asked(board: Board, words: Words, place: Box) -> Iterator[Shape]:
    """Yield the ask road: for each side the sign every derived road would get."""
    yield Label(place.x, place.y - 12, words.roads["ask"], TITLE_LETTERS, "text", bold=True)
    width = (place.width - GAP) / 2
    head = 50 if place.height > SPREAD else 40
    for number, (side, ink) in enumerate(SIDES.items()):
        card = place._replace(x=place.x + number * (width + GAP), width=width)
        text = words.next[side]
        yield card._replace(radius=8)
        yield card._replace(height=head, ink=ink, radius=8)
        yield card._replace(y=card.y + head - 20, height=20, ink=ink)
        size = fitted(text, TITLE_LETTERS, width - 20, bold=True)
        yield Label(card.x + width / 2, card.y + head / 2 + 8, text, size, "white", "middle", bold=True)
        answers = zip(DERIVED, board.ask[side], strict=True)
        below = card._replace(y=card.y + head, height=card.height - head)
        for place_of, (kind, which) in enumerate(answers):
            if place.height > SPREAD:
                row = below._replace(y=below.y + place_of * below.height / 3, height=below.height / 3)
                yield from _named(kind, which, words, row)
            else:
                x = below.x + (place_of + 0.5) * below.width / 3
                yield _answer(kind, which, x, below.y + below.height / 2, min(48, below.height * 0.8))


def good_roads(
    board: Board, words: Words, language: Language, good: Collection[GoodId], place: Box, columns: int
) -> Iterator[Shape]:
    """Yield the good roads the house shows, those that are on in gold."""
    yield Label(place.x, place.y - 12, words.roads["good"], TITLE_LETTERS, "text", bold=True)
    shown = [name for name in ALL_GOOD if name in good]
    rows = -(-len(ALL_GOOD) // columns)
    width = (place.width - (columns - 1) * GAP) / columns
    height = (place.height - (rows - 1) * GAP) / rows
    for number, name in enumerate(shown):
        x = place.x + number % columns * (width + GAP)
        y = place.y + number // columns * (height + GAP)
        chip = Box(x, y, width, height, "gold" if name in board.good_roads else "edge", 8)
        yield from _chip(good_name(name, language), chip)


def legend(words: Words, place: Box, kind: Kind | None = None) -> Iterator[Shape]:
    """Yield the meaning of the signs and colours that the counts do not name; kind: of this road alone."""
    yield from flow(list(_explained(words, kind)), place, 20)


def flow(items: Sequence[Item], place: Box, size: float) -> Iterator[Shape]:
    """Yield the items in letters of `size`, or as much smaller as they must be to stay in their place."""
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


def _named(kind: Kind, which: str | None, words: Words, row: Box) -> Iterator[Shape]:
    if kind != DERIVED[0]:
        yield Line(row.x + 20, row.y, row.x + row.width - 20, row.y, "grid", 1)
    yield from _written(words.roads[kind], row._replace(x=row.x + 16, width=row.width - 92), "text", "start")
    yield _answer(kind, which, row.x + row.width - 44, row.y + row.height / 2, 52)


def _answer(kind: Kind, which: str | None, x: float, y: float, size: float) -> Shape:
    return sign(kind, x, y, size, which) if which else Line(x - 9, y, x + 9, y, "muted", 3)


def _chip(text: str, chip: Box) -> Iterator[Shape]:
    """Yield a name in its box, in two lines where one has no room."""
    is_on = chip.ink == "gold"
    yield chip
    if not is_on:
        yield Box(chip.x + 1, chip.y + 1, chip.width - 2, chip.height - 2, "panel", 7)
    yield from _written(text, chip._replace(x=chip.x + 12, width=chip.width - 24), "on_gold" if is_on else "muted")


def _written(text: str, place: Box, ink: Ink, anchor: Literal["start", "middle"] = "middle") -> Iterator[Shape]:
    """Yield a text inside its place: in lines where one has no room, and smaller where its words have none."""
    is_bold = ink == "on_gold"
    lines = folded(text, 20, place.width, bold=True)
    size = min(20, place.height * 0.7 / len(lines), *(fitted(line, 20, place.width, bold=True) for line in lines))
    x = place.x + (place.width / 2 if anchor == "middle" else 0)
    y = place.y + place.height / 2 + size * 0.36 - (len(lines) - 1) * size * 0.6
    for number, line in enumerate(lines):
        yield Label(x, y + number * size * 1.2, line, size, ink, anchor, is_bold)


def _explained(words: Words, kind: Kind | None) -> Iterator[Item]:
    if kind in (None, "big"):
        yield Item(_ring("red", 0), 1, words.sides["B"])
        yield Item(_ring("blue", 0), 1, words.sides["P"])
        yield Item(_ring("blue", 1), 1, words.sides["T"])
        yield Item(_ring("red", 2), 1, words.ties)
    for which, word in (("R", words.regular), ("B", words.irregular)):
        if kind in (None, "ask"):
            yield Item(_signs(DERIVED, which), 3, f"{words.derived}: {word}")
        elif kind in DERIVED:
            yield Item(_signs((kind,), which), 1, word)
    if kind is None:
        yield Item(lambda _, x, y, size: framed(x - size * 0.4, y - size * 0.4, size * 0.8), 1, words.newest)
        yield Item(_pill, 1, words.good)


def _ring(colour: str, ties: int) -> Draw:
    return lambda _, x, y, size: ring(x, y, size, colour, ties, on="ground")


def _signs(kinds: Sequence[Kind], which: str) -> Draw:
    return lambda place, x, y, size: iter([sign(kinds[place], x, y, size, which)])


def _pill(_: int, x: float, y: float, size: float) -> Iterator[Shape]:
    yield Box(x - size * 0.4, y - size * 0.25, size * 0.8, size * 0.5, "gold", 4)


def _lines(items: Sequence[Item], room: float, size: float) -> list[list[Item]]:
    lines: list[list[Item]] = []
    left = 0.0
    for item in items:
        width = _width(item, size)
        if not lines or width - size > left:  # the last of a line needs no space behind it
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
    """Return the width of an item, with the gap behind it."""
    count = wide(item.number, size, bold=True) + size * 0.4 if item.number else 0
    return item.signs * _cell(size) + size * 0.35 + wide(item.word, size) + count + size * 1.4
