"""One road drawn on its grid: bead plate, big road, or a derived road."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from firmware_bridge.games.baccarat.drawn.shapes import Box, Dot, Ink, Label, Line, Ring, Shape
from firmware_bridge.games.baccarat.drawn.words import Kind, Words
from firmware_bridge.games.baccarat.roads import ROWS, Board

SIGNS: Final[dict[str, Ink]] = {"R": "red", "B": "blue"}
LETTERS: Final = {"red": "B", "blue": "P", "green": "T"}


class Grid(NamedTuple):
    """Where a road lies: the grid's upper left corner, the size of a cell, and how many columns are seen."""

    x: float
    y: float
    cell: float
    columns: int


def road(board: Board, kind: Kind, grid: Grid, words: Words) -> Iterator[Shape]:
    """Title, grid and marks, scrolled to the newest columns."""
    cells = cells_of(board, kind)
    first = max(0, used(board, kind) - grid.columns) + 1
    yield Label(grid.x + 2, grid.y - 12, words.roads[kind], 22, "text", bold=True)
    yield Box(grid.x, grid.y, grid.cell * grid.columns, grid.cell * ROWS, "panel")
    if cells:
        x, y = _middle(grid, cells[-1], first)
        yield Box(x - grid.cell / 2, y - grid.cell / 2, grid.cell, grid.cell, "newest")
    yield from _ruled(grid)
    for cell in cells:
        if cell[0] >= first:
            yield from _MARKS[kind](*_middle(grid, cell, first), grid.cell, cell[2:], words)


def cells_of(board: Board, kind: Kind) -> Sequence[tuple[Any, ...]]:
    """The cells of a road in their order."""
    grids: dict[Kind, Sequence[tuple[Any, ...]]] = {
        "bead": board.bead,
        "big": board.big_grid,
        "big-eye": board.big_eye_grid,
        "small": board.small_grid,
        "cockroach": board.cockroach_grid,
    }
    return grids[kind]


def used(board: Board, kind: Kind) -> int:
    """How many columns a road takes."""
    return max((cell[0] for cell in cells_of(board, kind)), default=0)


def sign(kind: Kind, x: float, y: float, size: float, which: str) -> Shape:
    """A sign of a derived road in a cell of `size`: hollow ring, solid dot or slash."""
    ink = SIGNS[which]
    if kind == "big-eye":
        return Ring(x, y, size * 0.31, ink, size * 0.13)
    if kind == "small":
        return Dot(x, y, size * 0.36, ink)
    reach = size * 0.31
    return Line(x - reach, y + reach, x + reach, y - reach, ink, size * 0.14)


def _middle(grid: Grid, cell: tuple[Any, ...], first: int) -> tuple[float, float]:
    """The middle of a cell; `first` is the leftmost column that is seen."""
    return grid.x + (cell[0] - first + 0.5) * grid.cell, grid.y + (cell[1] - 0.5) * grid.cell


def _ruled(grid: Grid) -> Iterator[Shape]:
    right, bottom = grid.x + grid.cell * grid.columns, grid.y + grid.cell * ROWS
    for column in range(grid.columns + 1):
        x = grid.x + column * grid.cell
        yield Line(x, grid.y, x, bottom, "grid" if 0 < column < grid.columns else "edge", 1)
    for row in range(ROWS + 1):
        y = grid.y + row * grid.cell
        yield Line(grid.x, y, right, y, "grid" if 0 < row < ROWS else "edge", 1)


def _bead(x: float, y: float, size: float, told: tuple[Any, ...], words: Words) -> Iterator[Shape]:
    colour, banker_pair, player_pair = told
    yield Dot(x, y, size * 0.41, colour)
    yield Label(x, y + size * 0.155, words.letters[LETTERS[colour]], size * 0.43, "white", "middle", bold=True)
    corner, radius = size * 0.31, size * 0.115
    pairs: tuple[tuple[bool, int, Ink], ...] = ((banker_pair, -1, "red"), (player_pair, 1, "blue"))
    for is_pair, side, ink in pairs:
        if is_pair:
            yield Dot(x + side * corner, y + side * corner, radius * 1.5, "white")
            yield Dot(x + side * corner, y + side * corner, radius, ink)


def _big(x: float, y: float, size: float, told: tuple[Any, ...], _: Words) -> Iterator[Shape]:
    """A ring; one tie is a green slash through it, more are a green number in it [000]."""
    colour, ties = told[:2]
    yield Ring(x, y, size * 0.34, colour, size * 0.1)
    if ties == 1:
        reach = size * 0.36
        yield Line(x - reach, y + reach, x + reach, y - reach, "green", size * 0.09)
    elif ties:
        digits = size * (0.46 if ties < 10 else 0.36)
        yield Label(x, y + digits * 0.36, str(ties), digits, "green", "middle", bold=True)


def _derived(kind: Kind) -> Callable[..., Iterator[Shape]]:
    def marked(x: float, y: float, size: float, told: tuple[Any, ...], _: Words) -> Iterator[Shape]:
        yield sign(kind, x, y, size, told[0])

    return marked


_MARKS: Final[dict[Kind, Callable[..., Iterator[Shape]]]] = {
    "bead": _bead,
    "big": _big,
    "big-eye": _derived("big-eye"),
    "small": _derived("small"),
    "cockroach": _derived("cockroach"),
}
