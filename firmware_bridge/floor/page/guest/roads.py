"""Bead plate and big road as SVG, as all pictures of the project draw them."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from firmware_bridge.floor.page.guest.read import Roads
from firmware_bridge.floor.page.guest.words import Language
from firmware_bridge.floor.page.markup import Html
from firmware_bridge.games.baccarat.drawn.formats import svg
from firmware_bridge.games.baccarat.drawn.grid import BESIDE, TITLE, Grid, road
from firmware_bridge.games.baccarat.drawn.shapes import THEMES, Sheet
from firmware_bridge.games.baccarat.drawn.words import WORDS, Kind
from firmware_bridge.games.baccarat.roads import Board

COLUMNS: Final = 18
CELL: Final = 44.0
SHOWN: Final[tuple[Kind, ...]] = ("bead", "big")


@lru_cache(64)
def roads(told: Roads, lang: Language) -> tuple[Html, ...]:
    """A picture of each road."""
    board = _board(told)
    words = WORDS[lang]
    grid = Grid(BESIDE, TITLE, CELL, COLUMNS)
    width, height = grid.width + 2 * BESIDE, TITLE + grid.height + 2
    made = []
    for kind in SHOWN:
        shapes = tuple(road(board, kind, grid, words))
        made.append(Html(svg(Sheet(int(width), int(height), 1.0, shapes, THEMES["dark"], lang, words.roads[kind]))))
    return tuple(made)


def _board(told: Roads) -> Board:
    """A board of these two roads, on which all else is empty."""
    nothing = {"big_eye": "", "small": "", "cockroach": "", "outcomes": ""}
    return Board(
        naturals=told.naturals,
        bead=told.bead,
        big_logical=(),
        held_ties=0,
        big_grid=told.big_grid,
        big_eye_grid=(),
        small_grid=(),
        cockroach_grid=(),
        ask={},
        ask_cells={},
        good_roads=(),
        **nothing,
    )
