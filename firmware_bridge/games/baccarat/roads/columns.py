"""Rounds as beads, and the columns of the big road, of any length, before they are placed on a grid."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from msgspec import Struct

Outcome = Literal["B", "P", "T"]

Cell = tuple[int, int]
"""(column, row) on a grid, 1-based, row 1 on top; never scrolled."""

LeadingTies = Literal["first-bead", "own-column"]
"""Ties before any other result: counted on bead 1 [000], or a column of their own as one live provider draws them."""

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
    """Return the bead plate from bead `first` (from 0), top to bottom [000]: column, row, colour, both sides' pairs."""
    return tuple(map(_laid, range(first, len(beads)), beads[first:]))


@lru_cache(4096)
def _laid(place: int, bead: Bead) -> tuple[int, int, str, bool, bool]:
    return place // ROWS + 1, place % ROWS + 1, BEAD_COLOURS[bead.outcome], bead.banker_pair, bead.player_pair


class Column(NamedTuple):
    """A streak of one side; `ties` holds one count per bead. T is the column of leading ties, if they have one."""

    side: Outcome
    ties: tuple[int, ...]


class BigRoad(Struct):
    """All columns of the big road, and the leading ties that wait for a bead 1; it grows at its end."""

    columns: list[Column] = []
    held_ties: int = 0


def extend(road: BigRoad, outcome: Outcome, leading_ties: LeadingTies = "first-bead") -> bool:
    """Put one more round on the road; return True if it has a bead of its own. Only the last column may change."""
    columns = road.columns
    if outcome == "T":
        return _tie(road, leading_ties)
    if columns and columns[-1][0] == outcome:
        columns[-1] = Column(outcome, (*columns[-1][1], 0))
    else:
        columns.append(Column(outcome, (road.held_ties,)))
        road.held_ties = 0
    return True


def extended(road: BigRoad, outcome: Outcome, leading_ties: LeadingTies = "first-bead") -> BigRoad:
    """Return the road as it would be after one more round."""
    then = BigRoad(road.columns.copy(), road.held_ties)
    extend(then, outcome, leading_ties)
    return then


def _tie(road: BigRoad, leading_ties: LeadingTies) -> bool:
    columns = road.columns
    if columns:
        side, ties = columns[-1]
        columns[-1] = Column(side, (*ties[:-1], ties[-1] + 1))
        return False
    if leading_ties == "own-column":
        columns.append(Column("T", (0,)))
        return True
    road.held_ties += 1
    return False
