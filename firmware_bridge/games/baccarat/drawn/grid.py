"""One road drawn on its grid: bead plate, big road, or a derived road."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from firmware_bridge.games.baccarat.drawn.lettering import fitted, wide
from firmware_bridge.games.baccarat.drawn.marks import bead, chevron, ring, sign
from firmware_bridge.games.baccarat.drawn.shapes import Box, Label, Line, Shape
from firmware_bridge.games.baccarat.drawn.window import Window, window
from firmware_bridge.games.baccarat.drawn.words import Kind, Words
from firmware_bridge.games.baccarat.roads import ROWS, Board

TITLE: Final = 36
"""Height of the title above a grid."""

BESIDE: Final = 14
"""What a grid needs on either side, for the sign that more lies there."""

LETTERS: Final = 22
"""Size of a title."""

Cells = Sequence[tuple[Any, ...]]


class Grid(NamedTuple):
    """Where a road lies: the grid's upper left corner, the size of a cell, and how many columns are seen."""

    x: float
    y: float
    cell: float
    columns: int

    @property
    def width(self) -> float:
        """From its left edge to its right one."""
        return self.cell * self.columns

    @property
    def height(self) -> float:
        """From its upper edge to its lower one."""
        return self.cell * ROWS


def road(board: Board, kind: Kind, grid: Grid, words: Words, pair_dots: bool = False) -> Iterator[Shape]:
    """Title, grid and marks. Where not all columns have room, those around the newest mark are seen.

    pair_dots: the dots of pairs in the big road too.
    """
    cells = cells_of(board, kind, pair_dots)
    seen = window(cells, grid.columns)
    yield from _title(grid, words.roads[kind], words, seen)
    yield Box(grid.x, grid.y, grid.width, grid.height, "panel")
    yield from _ruled(grid)
    if cells:
        yield from framed(*_corner(grid, cells[-1], seen), grid.cell)
    for column, row, *told in cells:
        if seen.shows(column):
            x, y = _corner(grid, (column, row), seen)
            yield from _mark(kind, x + grid.cell / 2, y + grid.cell / 2, grid.cell, words, told)


def cells_of(board: Board, kind: Kind, pair_dots: bool = False) -> Cells:
    """The cells of a road in their order: column, row, and what its mark is drawn from."""
    grids: dict[Kind, Cells] = {"big-eye": board.big_eye_grid, "small": board.small_grid}
    if kind == "bead":
        return [(*cell, natural == "1") for cell, natural in zip(board.bead, board.naturals, strict=True)]
    if kind == "big":
        return [(*cell[:4], *pairs) for cell, pairs in zip(board.big_grid, _pairs(board, pair_dots), strict=True)]
    return grids.get(kind, board.cockroach_grid)


def used(board: Board, kind: Kind) -> int:
    """How many columns a road takes."""
    return max((cell[0] for cell in cells_of(board, kind)), default=0)


def framed(x: float, y: float, cell: float) -> Iterator[Shape]:
    """The frame of the newest mark's cell."""
    line = max(1.5, cell * 0.06)
    yield Box(x, y, cell, cell, "text")
    yield Box(x + line, y + line, cell - 2 * line, cell - 2 * line, "panel")


def _pairs(board: Board, pair_dots: bool) -> list[tuple[bool, ...]]:
    """The pairs of the rounds that made the beads of the big road; those of ties are seen on the bead plate alone."""
    if not pair_dots:
        return [()] * len(board.big_grid)
    made = [cell[3:5] for cell in board.bead if cell[2] != "green"]
    own_column = [cell[3:5] for cell in board.bead[:1]] if board.big_grid and board.big_grid[0][2] == "green" else []
    return [*own_column, *made]


def _corner(grid: Grid, cell: tuple[Any, ...], seen: Window) -> tuple[float, float]:
    """The upper left corner of a cell that is seen."""
    return grid.x + (cell[0] - seen.first) * grid.cell, grid.y + (cell[1] - 1) * grid.cell


def _mark(kind: Kind, x: float, y: float, size: float, words: Words, told: list[Any]) -> Iterator[Shape]:
    if kind == "bead":
        yield from bead(x, y, size, words, *told)
    elif kind == "big":
        yield from ring(x, y, size, *told)
    else:
        yield sign(kind, x, y, size, told[0])


def _title(grid: Grid, title: str, words: Words, seen: Window) -> Iterator[Shape]:
    """The road's name, and on either side how many marks are out of sight."""
    y, middle, size = grid.y - 12, grid.y + grid.height / 2, fitted(title, LETTERS, grid.width, bold=True)
    yield Label(grid.x, y, title, size, "text", bold=True)
    left, right = grid.x + wide(title, size, bold=True) + 14, grid.x + grid.width
    if seen.later:
        yield from chevron(grid.x + grid.width + BESIDE / 2, middle, 1, 20)
        right -= 12 + wide(words.later.format(seen.later), 18)
        if right > left:
            yield Label(right, y, words.later.format(seen.later), 18, "text")
            yield from chevron(grid.x + grid.width - 4, y - 7, 1, 14)
    if seen.earlier:
        yield from chevron(grid.x - BESIDE / 2, middle, -1, 20)
        if left + 12 + wide(words.earlier.format(seen.earlier), 18) < right:
            yield from chevron(left + 4, y - 7, -1, 14)
            yield Label(left + 12, y, words.earlier.format(seen.earlier), 18, "text")


def _ruled(grid: Grid) -> Iterator[Shape]:
    right, bottom = grid.x + grid.width, grid.y + grid.height
    for column in range(grid.columns + 1):
        x = grid.x + column * grid.cell
        yield Line(x, grid.y, x, bottom, "grid" if 0 < column < grid.columns else "edge", 1)
    for row in range(ROWS + 1):
        y = grid.y + row * grid.cell
        yield Line(grid.x, y, right, y, "grid" if 0 < row < ROWS else "edge", 1)
