"""The picture of a whole board for a screen, or of one road alone."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

from firmware_bridge.games.baccarat.drawn.flow import flow
from firmware_bridge.games.baccarat.drawn.grid import TITLE, Grid, road, used
from firmware_bridge.games.baccarat.drawn.heading import NOTHING, Heading, above, counts, title
from firmware_bridge.games.baccarat.drawn.panels import asked, good_roads, legend
from firmware_bridge.games.baccarat.drawn.places import MARGIN, places
from firmware_bridge.games.baccarat.drawn.shapes import THEMES, Box, Shape, Sheet
from firmware_bridge.games.baccarat.drawn.words import WORDS, Kind, Language
from firmware_bridge.games.baccarat.roads import ALL_GOOD, ROWS, Board, GoodId

SIZE: Final = (1920, 1080)
"""Pixels of a board whose size nobody gave."""

ALONE: Final[dict[Kind, tuple[float, int]]] = {
    "bead": (54, 14),
    "big": (40, 20),
    "big-eye": (28, 28),
    "small": (28, 28),
    "cockroach": (28, 28),
}
"""A road alone: size of a cell, and the fewest columns."""

WIDEST: Final = 60
"""The most columns of a road alone."""

NOTE: Final = 40
"""Height of the legend below a road alone."""


class Look(NamedTuple):
    """How a picture is to look.

    only: one road alone, as large as it needs to be. good: the good roads the house shows. size: width and height of a
    board in pixels. pair_dots: the dots of pairs in the big road too.
    """

    theme: str = "dark"
    language: Language = "en"
    only: Kind | None = None
    good: Collection[GoodId] = ALL_GOOD
    size: tuple[int, int] = SIZE
    pair_dots: bool = False


def sheet(board: Board, look: Look, heading: Heading = NOTHING) -> Sheet:
    """The picture of a board, or of one of its roads."""
    words = WORDS[look.language]
    if look.only is None:
        (width, height), name = look.size, title(heading, words)
        place = places(width, height)
        scale, shapes = width / place.width, tuple(_whole(board, look, heading))
        ground = Box(0, 0, place.width, place.height, "ground")
    else:
        width, height, shapes = _alone(board, look, look.only)
        scale, name = 1.0, words.roads[look.only]
        ground = Box(0, 0, width, height, "ground")
    return Sheet(width, height, scale, (ground, *shapes), THEMES[look.theme], look.language, name)


def _whole(board: Board, look: Look, heading: Heading) -> Iterator[Shape]:
    words, place = WORDS[look.language], places(*look.size)
    yield from above(board, heading, words, place)
    for kind, grid in place.grids.items():
        yield from road(board, kind, grid, words, look.pair_dots)
    yield from asked(board, words, place.ask)
    yield from good_roads(board, words, look.language, look.good, place.good, place.good_columns)
    yield from legend(words, place.legend)


def _alone(board: Board, look: Look, only: Kind) -> tuple[int, int, tuple[Shape, ...]]:
    """Width, height and shapes of one road."""
    words, top = WORDS[look.language], MARGIN + TITLE
    if only == "good":
        place = Box(MARGIN, top, 1312, 124, "panel")
        return 1360, 208, tuple(good_roads(board, words, look.language, look.good, place, 5))
    if only == "ask":
        place = Box(MARGIN, top, 552, 234, "panel")
        return 600, 358, (*asked(board, words, place), *legend(words, _below(place), only))
    cell, fewest = ALONE[only]
    grid = Grid(MARGIN, top, cell, min(max(fewest, used(board, only) + 1), WIDEST))
    place = Box(MARGIN, top, grid.width, cell * ROWS, "panel")
    below = _below(place)
    note = flow(list(counts(board, words)), below, 20) if only == "bead" else legend(words, below, only)
    height = top + place.height + NOTE
    return int(2 * MARGIN + place.width), int(height), (*road(board, only, grid, words, look.pair_dots), *note)


def _below(place: Box) -> Box:
    return place._replace(y=place.y + place.height + 2, height=NOTE - 4)
