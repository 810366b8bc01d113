"""The roads in the form programs get them: MQTT topic `roads` and `shoe roads --json`."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from firmware_bridge.games.baccarat.roads.ask import Answer, ask
from firmware_bridge.games.baccarat.roads.bead import BEAD_COLOURS, Cell, bead_cells
from firmware_bridge.games.baccarat.roads.derived import DERIVED, Sign
from firmware_bridge.games.baccarat.roads.good import GoodId, good_roads
from firmware_bridge.games.baccarat.roads.picture import Signed
from firmware_bridge.games.baccarat.roads.roads import Roads


class AskCells(Struct, frozen=True):
    """Where one side's next bead and signs would lie; None where a road has not begun."""

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


def board(roads: Roads) -> Board:
    """The board of these roads."""
    columns = roads.big_road.columns
    eye, small, cockroach = roads.derived
    answers = ask(roads)
    return Board(
        outcomes="".join([bead[0] for bead in roads.beads]),
        naturals="".join(["01"[bead[3]] for bead in roads.beads]),
        bead=bead_cells(roads.beads),
        big_logical=tuple([(side, len(ties), ties) for side, ties in columns]),
        held_ties=roads.big_road.held_ties,
        big_grid=big_grid(roads),
        big_eye=eye.signs,
        big_eye_grid=tuple(eye.picture.cells),
        small=small.signs,
        small_grid=tuple(small.picture.cells),
        cockroach=cockroach.signs,
        cockroach_grid=tuple(cockroach.picture.cells),
        ask={side: answer.signs for side, answer in answers.items()},
        ask_cells={side: _ask_cells(answer) for side, answer in answers.items()},
        good_roads=good_roads(columns, roads.settings.good),
    )


def big_grid(roads: Roads) -> tuple[tuple[int, int, str, int, int], ...]:
    """The big road's beads: column, row, colour, ties, number of the column."""
    told = [(count, number) for number, (_, ties) in enumerate(roads.big_road.columns, 1) for count in ties]
    return tuple(
        [
            (column, row, BEAD_COLOURS[side], count, number)
            for (column, row, side), (count, number) in zip(roads.big.cells, told, strict=True)
        ]
    )


def _ask_cells(answer: Answer) -> AskCells:
    return AskCells(answer.big, *answer.cells)
