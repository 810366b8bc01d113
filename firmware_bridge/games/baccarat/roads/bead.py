"""A round as the roads know it: who won, which side had a pair, and whether a natural ended it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

Outcome = Literal["B", "P", "T"]
Cell = tuple[int, int]
"""(column, row) on a grid, 1-based, row 1 on top; never scrolled."""

ROWS: Final = 6
"""Rows of every grid [000]."""

LETTERS: Final[dict[str, Outcome]] = {"banker": "B", "player": "P", "tie": "T"}
BEAD_COLOURS: Final = {"B": "red", "P": "blue", "T": "green"}


class Bead(NamedTuple):
    """One round: B = banker, P = player, T = tie."""

    outcome: Outcome
    banker_pair: bool = False
    player_pair: bool = False
    natural: bool = False


def bead_cells(beads: Sequence[Bead], first: int = 0) -> tuple[tuple[int, int, str, bool, bool], ...]:
    """The bead plate from bead `first` (from 0) on: (column, row, colour, banker pair, player pair).

    Columns are filled top to bottom [000].
    """
    return tuple(map(_laid, range(first, len(beads)), beads[first:]))


@lru_cache(4096)
def _laid(place: int, bead: Bead) -> tuple[int, int, str, bool, bool]:
    return place // ROWS + 1, place % ROWS + 1, BEAD_COLOURS[bead.outcome], bead.banker_pair, bead.player_pair
