"""The ask road: what each road would get if the banker, or the player, won the next round."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from firmware_bridge.games.baccarat.roads.bead import Cell, Outcome
from firmware_bridge.games.baccarat.roads.columns import extended
from firmware_bridge.games.baccarat.roads.derived import DERIVED, Sign, sign_of
from firmware_bridge.games.baccarat.roads.picture import next_cell
from firmware_bridge.games.baccarat.roads.roads import Roads

SIDES: Final[dict[str, Outcome]] = {"banker": "B", "player": "P"}


class Answer(Struct, frozen=True):
    """One side's next bead: its cell, and sign and cell in the derived roads; None where a road has not begun."""

    big: Cell
    signs: tuple[Sign | None, ...]
    cells: tuple[Cell | None, ...]


def ask(roads: Roads) -> dict[str, Answer]:
    """Side -> answer. Both sides get a sign as soon as the column left of the start cell has a bead [000]."""
    return {side: _answer(roads, letter) for side, letter in SIDES.items()}


def _answer(roads: Roads, letter: Outcome) -> Answer:
    columns = extended(roads.big_road, letter, roads.settings.leading_ties).columns
    signs = tuple([sign_of(columns, back) for back in DERIVED.values()])
    cells = tuple(
        [next_cell(road.picture, sign) if sign else None for road, sign in zip(roads.derived, signs, strict=True)]
    )
    return Answer(next_cell(roads.big, letter), signs, cells)
