"""The picture of all roads for a screen of 1920 x 1080, or of one road alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from firmware_bridge.games.baccarat.drawn.marks import Grid, road, sign, used
from firmware_bridge.games.baccarat.drawn.shapes import THEMES, Box, Dot, Ink, Label, Line, Shape, Sheet
from firmware_bridge.games.baccarat.drawn.words import WORDS, Kind, Language, Words, good_name
from firmware_bridge.games.baccarat.roads import ALL_GOOD, ROWS, Board, GoodId

WIDTH: Final = 1920
HEIGHT: Final = 1080
MARGIN: Final = 24
TITLE: Final = 36
"""Height of a title."""

GRIDS: Final[dict[Kind, Grid]] = {
    "bead": Grid(24, 132, 61, 9),
    "big": Grid(600, 132, 54, 24),
    "big-eye": Grid(600, 508, 27, 48),
    "small": Grid(600, 722, 27, 23),
    "cockroach": Grid(1275, 722, 27, 23),
}
"""Where each road lies on the whole picture."""

ALONE: Final[dict[Kind, tuple[float, int]]] = {
    "bead": (54, 12),
    "big": (40, 20),
    "big-eye": (28, 28),
    "small": (28, 28),
    "cockroach": (28, 28),
}
"""A road alone: size of a cell, and the fewest columns."""

WIDEST: Final = 60
"""The most columns of a road alone; older ones are scrolled out."""

DERIVED: Final[tuple[Kind, ...]] = ("big-eye", "small", "cockroach")
SIDES: Final[dict[str, Ink]] = {"banker": "red", "player": "blue"}
COUNTED: Final[dict[str, Ink]] = {"B": "red", "P": "blue", "T": "green"}


def sheet(
    board: Board, theme: str, language: Language, only: Kind | None = None, good: Collection[GoodId] = ALL_GOOD
) -> Sheet:
    """The picture; `good` lists the good roads the house shows."""
    words = WORDS[language]
    if only is None:
        width, height, shapes = WIDTH, HEIGHT, tuple(_whole(board, words, language, good))
    elif only == "ask":
        width, height, shapes = 600, 318, tuple(_asked(board, words, Box(24, 24 + TITLE, 552, 234, "panel")))
    elif only == "good":
        width, height, shapes = 1240, 172, tuple(_good(board, words, language, good, 24, 24 + TITLE, 1192))
    else:
        cell, fewest = ALONE[only]
        grid = Grid(24, 24 + TITLE, cell, min(max(fewest, used(board, only) + 1), WIDEST))
        width, height = int(48 + cell * grid.columns), int(48 + TITLE + cell * ROWS)
        shapes = tuple(road(board, only, grid, words))
    ground = Box(0, 0, width, height, "ground")
    title = words.roads[only] if only else words.title
    return Sheet(width, height, (ground, *shapes), THEMES[theme], language, title)


def _whole(board: Board, words: Words, language: Language, good: Collection[GoodId]) -> Iterator[Shape]:
    yield from _header(board, words)
    for kind, grid in GRIDS.items():
        yield from road(board, kind, grid, words)
    yield from _asked(board, words, Box(MARGIN, 560, 549, 324, "panel"))
    yield from _good(board, words, language, good, MARGIN, 950, WIDTH - 2 * MARGIN)


def _header(board: Board, words: Words) -> Iterator[Shape]:
    """The title, and how often everything came."""
    yield Label(MARGIN + 2, 64, words.title, 36, "text", bold=True)
    x = float(GRIDS["big"].x)
    for letter, ink in COUNTED.items():
        yield Dot(x + 17, 52, 17, ink)
        yield Label(x + 17, 59, words.letters[letter], 19, "white", "middle", bold=True)
        yield from _count(x + 46, words.sides[letter], board.outcomes.count(letter))
        x += 205
    pairs = {"B": sum(bead[3] for bead in board.bead), "P": sum(bead[4] for bead in board.bead)}
    for letter, count in pairs.items():
        yield Dot(x + 17, 52, 9, COUNTED[letter])
        yield from _count(x + 36, words.pairs[letter], count)
        x += 240
    yield Label(WIDTH - MARGIN, 64, f"{words.rounds}  {len(board.bead)}", 30, "text", "end", bold=True)


def _count(x: float, name: str, count: int) -> Iterator[Shape]:
    yield Label(x, 46, name, 17, "muted")
    yield Label(x, 74, str(count), 26, "text", bold=True)


def _asked(board: Board, words: Words, place: Box) -> Iterator[Shape]:
    """The ask road: for each side the sign every derived road would get."""
    yield Label(place.x + 2, place.y - 12, words.roads["ask"], 22, "text", bold=True)
    width = (place.width - 16) / 2
    for number, (side, ink) in enumerate(SIDES.items()):
        card = place._replace(x=place.x + number * (width + 16), width=width, radius=8)
        yield card
        yield card._replace(height=50, ink=ink)
        yield Box(card.x, card.y + 30, width, 20, ink)
        yield Label(card.x + width / 2, card.y + 33, words.next[side], 22, "white", "middle", bold=True)
        rows = card._replace(y=card.y + 50, height=(card.height - 50) / 3)
        for row, (kind, which) in enumerate(zip(DERIVED, board.ask[side], strict=True)):
            yield from _answer(kind, which, words, rows._replace(y=rows.y + row * rows.height))


def _answer(kind: Kind, which: str | None, words: Words, row: Box) -> Iterator[Shape]:
    x, y = row.x + row.width - 46, row.y + row.height / 2
    if kind != DERIVED[0]:
        yield Line(row.x + 20, row.y, row.x + row.width - 20, row.y, "grid", 1)
    yield Label(row.x + 20, y + 7, words.roads[kind], 20, "text")
    if which:
        yield sign(kind, x, y, 52, which)
    else:
        yield Line(x - 9, y, x + 9, y, "muted", 3)


def _good(
    board: Board, words: Words, language: Language, good: Collection[GoodId], x: float, y: float, width: float
) -> Iterator[Shape]:
    """The good roads the house shows, those that are on in gold."""
    yield Label(x + 2, y - 12, words.roads["good"], 22, "text", bold=True)
    shown = [name for name in ALL_GOOD if name in good]
    chip = (width - 4 * 12) / 5
    for place, name in enumerate(shown):
        left, top = x + place % 5 * (chip + 12), y + place // 5 * 56
        is_on = name in board.good_roads
        yield Box(left, top, chip, 44, "gold" if is_on else "edge", 8)
        if not is_on:
            yield Box(left + 1, top + 1, chip - 2, 42, "panel", 7)
        ink: Ink = "ebony" if is_on else "muted"
        yield Label(left + chip / 2, top + 29, good_name(name, language), 20, ink, "middle", bold=is_on)
