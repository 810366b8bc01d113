"""Draws the roads of a guest screen: each a picture of its own, which the screen's sheet places."""

from collections import Counter
from typing import Final, NamedTuple

from firmware_bridge.floor.page.guest.read import Roads
from firmware_bridge.floor.page.markup import Html
from firmware_bridge.floor.page.newest import newest
from firmware_bridge.games.baccarat.drawn.formats import svg
from firmware_bridge.games.baccarat.drawn.grid import BESIDE, TITLE, Grid, road
from firmware_bridge.games.baccarat.drawn.panels import asked
from firmware_bridge.games.baccarat.drawn.shapes import THEMES, Box, Ink, Shape, Sheet
from firmware_bridge.games.baccarat.drawn.words import Kind, words_in
from firmware_bridge.games.baccarat.roads import Board
from firmware_bridge.topics.texts import Language

GRIDS: Final[dict[Kind, tuple[float, int]]] = {
    "big": (44.0, 24),
    "big-eye": (16.0, 20),
    "small": (16.0, 20),
    "cockroach": (16.0, 20),
    "bead": (44.0, 14),
}
"""Road -> the size of a cell in units, and its columns."""

ASK: Final = (350, 124)
"""Width and height of the ask road in units."""


Colours = tuple[tuple[str, str], ...]
"""Name of a colour, and the colour."""

OF_HOUSE: Final[tuple[Ink, ...]] = ("ground", "panel", "edge", "text", "muted")
"""Inks that a house may choose."""


class Drawn(NamedTuple):
    """A picture of a road."""

    kind: Kind
    picture: Html


class Count(NamedTuple):
    """How often an outcome came. name: the id of its text."""

    name: str
    number: int


@newest
def roads(name: str, message: Roads, lang: Language, colours: Colours = ()) -> tuple[Drawn, ...]:
    """Return a picture of each road of a table, and of what the next round would add. colours: of the house."""
    board, words = _board(message), words_in(lang)
    made = []
    for kind, (cell, columns) in GRIDS.items():
        grid = Grid(BESIDE, TITLE, cell, columns)
        shapes = tuple(road(board, kind, grid, words))
        made.append(_drawn(kind, grid.width + 2 * BESIDE, TITLE + grid.height + 2, shapes, lang, colours))
    width, height = ASK
    answers = tuple(asked(board, words, Box(0, TITLE, width, height - TITLE, "panel")))
    return (*made, _drawn("ask", width, height, answers, lang, colours))


def counts(message: Roads) -> tuple[Count, ...]:
    """Return how often each outcome, each pair and a natural came in this shoe."""
    outcomes = Counter(each[2] for each in message.bead)
    numbers = {
        "banker": outcomes["red"],
        "player": outcomes["blue"],
        "tie": outcomes["green"],
        "limit.banker_pair": sum(each[3] for each in message.bead),
        "limit.player_pair": sum(each[4] for each in message.bead),
        "natural": message.naturals.count("1"),
    }
    return tuple([Count(*each) for each in numbers.items()])


def _drawn(
    kind: Kind, width: float, height: float, shapes: tuple[Shape, ...], lang: Language, colours: Colours
) -> Drawn:
    inks = THEMES["dark"] | {ink: value for name, value in colours for ink in OF_HOUSE if name == ink}
    sheet = Sheet(int(width), int(height), 1.0, shapes, inks, lang, words_in(lang).roads[kind])
    return Drawn(kind, Html(svg(sheet)))


def _board(message: Roads) -> Board:
    """Return a board with what guests see of it."""
    return Board(
        outcomes="",
        naturals=message.naturals,
        bead=message.bead,
        big_logical=(),
        held_ties=0,
        big_grid=message.big_grid,
        big_eye="",
        big_eye_grid=message.big_eye_grid,
        small="",
        small_grid=message.small_grid,
        cockroach="",
        cockroach_grid=message.cockroach_grid,
        ask={"banker": message.ask.banker, "player": message.ask.player},
        ask_cells={},
        good_roads=(),
    )
