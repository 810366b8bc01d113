"""The roads as programs receive them: topic `roads` and `shoe roads --json`, the ask road included."""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from msgspec import Struct

from firmware_bridge.games.baccarat.roads.columns import BEAD_COLOURS, Bead, Cell, Column, Outcome, bead_cells, extended
from firmware_bridge.games.baccarat.roads.good import GoodId, good_roads
from firmware_bridge.games.baccarat.roads.picture import Signed, next_cell
from firmware_bridge.games.baccarat.roads.roads import DERIVED, Roads, Sign, sign_of


class AskCells(Struct, frozen=True):
    """The cells of one side's next bead and signs; None if a road has not begun."""

    big: Cell
    big_eye: Cell | None
    small: Cell | None
    cockroach: Cell | None


class Board(Struct, frozen=True):
    """All roads of a shoe; cells are 1-based, (column, row, ..), and never scrolled.

    naturals: a 1 for each of the outcomes that came by a natural, else a 0. bead: (.., colour, banker pair, player
    pair). big_logical: (side, length, ties per bead) of each column. big_grid: (.., colour, ties, number of its column
    in big_logical) in the order of beads. Signs and the third of a derived road's cell: R = red, B = blue. ask: side
    -> signs of big eye, small road, cockroach road.
    """

    outcomes: str
    naturals: str
    bead: tuple[tuple[int, int, str, bool, bool], ...]
    big_logical: tuple[tuple[str, int, tuple[int, ...]], ...]
    held_ties: int
    big_grid: tuple[tuple[int, int, str, int, int], ...]
    big_eye: str
    big_eye_grid: tuple[Signed, ...]
    small: str
    small_grid: tuple[Signed, ...]
    cockroach: str
    cockroach_grid: tuple[Signed, ...]
    ask: dict[str, tuple[Sign | None, ...]]
    ask_cells: dict[str, AskCells]
    good_roads: tuple[GoodId, ...]


ROADS: Final = tuple(DERIVED)
SIDES: Final[dict[str, Outcome]] = {"banker": "B", "player": "P"}


def board(roads: Roads) -> Board:
    """Return the board of these roads."""
    eye, small, cockroach = roads.derived
    return with_ends(
        roads,
        outcomes=outcomes(roads.beads),
        naturals=naturals(roads.beads),
        bead=bead_cells(roads.beads),
        big_logical=logical(roads.big_road.columns),
        big_grid=big_grid(roads),
        big_eye_grid=tuple(eye.picture.cells),
        small_grid=tuple(small.picture.cells),
        cockroach_grid=tuple(cockroach.picture.cells),
        good_roads=good_roads(roads.big_road.columns, roads.settings.good),
    )


def with_ends(roads: Roads, **of_beads: Any) -> Board:
    """Return the board of these roads: `of_beads` gives the fields of all beads, the others follow from the ends."""
    eye, small, cockroach = roads.derived
    answers = ask(roads)
    return Board(
        **of_beads,
        held_ties=roads.big_road.held_ties,
        big_eye=eye.signs,
        small=small.signs,
        cockroach=cockroach.signs,
        ask={side: answer.signs for side, answer in answers.items()},
        ask_cells={side: AskCells(answer.big, *answer.cells) for side, answer in answers.items()},
    )


def outcomes(beads: Sequence[Bead]) -> str:
    """Return the letters of the rounds."""
    return "".join([bead[0] for bead in beads])


def naturals(beads: Sequence[Bead]) -> str:
    """Return a 1 for each round that a natural ended, else a 0."""
    return "".join(["01"[bead[3]] for bead in beads])


def logical(columns: Sequence[Column]) -> tuple[tuple[str, int, tuple[int, ...]], ...]:
    """Return the columns: side, length, ties per bead."""
    return tuple([(side, len(ties), ties) for side, ties in columns])


def big_grid(roads: Roads, first: int = 0) -> tuple[tuple[int, int, str, int, int], ...]:
    """Return the big road's beads from number `first` (from 0) on: column, row, colour, ties, number of the column."""
    cells = roads.big.cells[first:]
    newest = list(islice(_newest(roads.big_road.columns), len(cells)))
    return tuple(
        [
            (column, row, BEAD_COLOURS[side], count, number)
            for (column, row, side), (count, number) in zip(cells, reversed(newest), strict=True)
        ]
    )


def _newest(columns: Sequence[Column]) -> Iterator[tuple[int, int]]:
    """Yield ties and number of the column of each bead, the newest first."""
    for number in range(len(columns), 0, -1):
        for count in reversed(columns[number - 1].ties):
            yield count, number


class Answer(Struct, frozen=True):
    """One side's next bead: its cell, and sign and cell in the derived roads; None where a road has not begun."""

    big: Cell
    signs: tuple[Sign | None, ...]
    cells: tuple[Cell | None, ...]


def ask(roads: Roads) -> dict[str, Answer]:
    """Return side -> answer. Both sides get a sign as soon as the column left of the start cell has a bead [000]."""
    return {side: _answer(roads, letter) for side, letter in SIDES.items()}


def _answer(roads: Roads, letter: Outcome) -> Answer:
    columns = extended(roads.big_road, letter, roads.settings.leading_ties).columns
    signs = tuple([sign_of(columns, back) for back in DERIVED.values()])
    cells = tuple(
        [next_cell(road.picture, sign) if sign else None for road, sign in zip(roads.derived, signs, strict=True)]
    )
    return Answer(next_cell(roads.big, letter), signs, cells)
