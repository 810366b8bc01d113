"""One road drawn on its grid with its marks: bead plate, big road, or a derived road."""

from collections.abc import Iterator, Sequence
from typing import Any, Final, Literal, NamedTuple

from firmware_bridge.games.baccarat.drawn.shapes import Box, Dot, Ink, Label, Line, Ring, Shape, fitted, wide
from firmware_bridge.games.baccarat.drawn.words import Kind, Words
from firmware_bridge.games.baccarat.roads import ROWS, Board

TITLE: Final = 36
"""Height of the title above a grid."""

BESIDE: Final = 14
"""Units beside a grid, for the sign that more marks lie there."""

TITLE_LETTERS: Final = 22
"""Size of a title."""

BEHIND: Final = 8
"""Columns left of the newest mark that stay in sight, where there is room: derived roads compare up to four."""

SIGNS: Final[dict[str, Ink]] = {"R": "red", "B": "blue"}
LINES: Final[dict[str, Ink]] = {"red": "red", "blue": "blue", "green": "green"}

FILLS: Final[dict[str, Ink]] = {"red": "banker", "blue": "player", "green": "tie"}
"""A bead's colour -> the ink under its letter."""

LETTERS: Final = {"red": "B", "blue": "P", "green": "T"}

CORNER: Final = 0.33
"""How far from the middle of its cell a dot in a corner lies, in cells; across and down."""

Cells = Sequence[tuple[Any, ...]]


class Grid(NamedTuple):
    """The place of a road: the grid's upper left corner, the size of a cell, and how many columns are seen."""

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


class Window(NamedTuple):
    """Columns `first` to `last` of a road, and how many of its marks lie left and right of them."""

    first: int
    last: int
    earlier: int
    later: int

    def shows(self, column: int) -> bool:
        """Return whether a column is seen."""
        return self.first <= column <= self.last


def road(board: Board, kind: Kind, grid: Grid, words: Words, pair_dots: bool = False) -> Iterator[Shape]:
    """Yield title, grid and marks, those around the newest where not all fit. pair_dots: pairs in the big road too."""
    cells = cells_of(board, kind, pair_dots)
    seen = window(cells, grid.columns)
    yield from _title(grid, words.roads[kind], words, seen)
    yield Box(grid.x, grid.y, grid.width, grid.height, "panel")
    yield from _ruled(grid)
    if cells:
        yield from framed(*_corner(grid, cells[-1], seen), grid.cell)
    for column, row, *values in cells:
        if seen.shows(column):
            x, y = _corner(grid, (column, row), seen)
            yield from _mark(kind, x + grid.cell / 2, y + grid.cell / 2, grid.cell, words, values)


def cells_of(board: Board, kind: Kind, pair_dots: bool = False) -> Cells:
    """Return the cells of a road in order: column, row, and the values its mark is drawn from."""
    grids: dict[Kind, Cells] = {"big-eye": board.big_eye_grid, "small": board.small_grid}
    if kind == "bead":
        return [(*cell, natural == "1") for cell, natural in zip(board.bead, board.naturals, strict=True)]
    if kind == "big":
        return [(*cell[:4], *pairs) for cell, pairs in zip(board.big_grid, _pairs(board, pair_dots), strict=True)]
    return grids.get(kind, board.cockroach_grid)


def used(board: Board, kind: Kind) -> int:
    """Return how many columns a road takes."""
    return max((cell[0] for cell in cells_of(board, kind)), default=0)


def window(cells: Sequence[tuple[Any, ...]], columns: int) -> Window:
    """Return the window of `columns` (1 or more) on these cells: the right end, or the part around the newest mark."""
    taken = [int(cell[0]) for cell in cells] or [0]
    first = max(1, max(taken) - columns + 1)
    first = min(first, max(1, taken[-1] - min(BEHIND, columns // 2)))
    last = first + columns - 1
    return Window(first, last, sum(0 < column < first for column in taken), sum(column > last for column in taken))


def framed(x: float, y: float, cell: float) -> Iterator[Shape]:
    """Yield the frame of the newest mark's cell."""
    line = max(1.5, cell * 0.06)
    yield Box(x, y, cell, cell, "text")
    yield Box(x + line, y + line, cell - 2 * line, cell - 2 * line, "panel")


def bead(x: float, y: float, size: float, words: Words, colour: str, *dots: bool) -> Iterator[Shape]:
    """Yield a bead with its letter; dots: banker pair, player pair, natural, each a dot in a corner."""
    yield Dot(x, y, size * 0.41, FILLS[colour])
    letter = words.letters[LETTERS[colour]]
    yield Label(x, y + size * 0.155, letter, size * 0.43, "white", "middle", bold=True)
    yield from corners(x, y, size, "white", dots)


def ring(x: float, y: float, size: float, colour: str, ties: int, *pairs: bool, on: Ink = "panel") -> Iterator[Shape]:
    """Yield a bead of the big road: one tie is a green slash through it, more are a green number in it."""
    yield Ring(x, y, size * 0.34, LINES[colour], size * 0.1)
    if ties == 1:
        reach = size * 0.34
        for ink, width in ((on, 0.2), (LINES["green"], 0.1)):
            yield Line(x - reach, y + reach, x + reach, y - reach, ink, size * width)
    elif ties:
        digits = size * (0.46 if ties < 10 else 0.34)
        yield Label(x, y + digits * 0.36, str(ties), digits, "green", "middle", bold=True)
    yield from corners(x, y, size, on, pairs)


def sign(kind: Kind, x: float, y: float, size: float, which: str) -> Shape:
    """Return a sign of a derived road in a cell of `size`: hollow ring, solid dot or slash."""
    ink = SIGNS[which]
    if kind == "big-eye":
        return Ring(x, y, size * 0.31, ink, size * 0.13)
    if kind == "small":
        return Dot(x, y, size * 0.36, ink)
    reach = size * 0.31
    return Line(x - reach, y + reach, x + reach, y - reach, ink, size * 0.14)


def corners(x: float, y: float, size: float, around: Ink, present: Sequence[bool]) -> Iterator[Shape]:
    """Yield dots: banker pair upper left, player pair lower right, natural upper right; `around` sets pair dots off."""
    dots: tuple[tuple[int, int, Ink, Ink], ...] = (
        (-1, -1, "banker", around),
        (1, 1, "player", around),
        (1, -1, "gold", "on_gold"),
    )
    for (across, down, ink, ring), is_there in zip(dots, present, strict=False):
        if is_there:
            yield from dot(x + across * size * CORNER, y + down * size * CORNER, size, ink, ring)


def dot(x: float, y: float, size: float, ink: Ink, around: Ink) -> Iterator[Shape]:
    """Yield the dot of a pair or a natural, as it lies in a cell of `size`."""
    yield Dot(x, y, size * 0.15, around)
    yield Dot(x, y, size * 0.105, ink)


def chevron(x: float, y: float, side: Literal[-1, 1], size: float) -> Iterator[Shape]:
    """Yield a point to the left (-1) or the right (1), `size` high: more marks lie there."""
    reach = side * size / 4
    for end in (-size / 2, size / 2):
        yield Line(x - reach / 2, y + end, x + reach / 2, y, "text", max(2, size / 6))


def _pairs(board: Board, pair_dots: bool) -> list[tuple[bool, ...]]:
    """Return the pairs of the rounds that made beads of the big road; those of ties are on the bead plate alone."""
    if not pair_dots:
        return [()] * len(board.big_grid)
    made = [cell[3:5] for cell in board.bead if cell[2] != "green"]
    own_column = [cell[3:5] for cell in board.bead[:1]] if board.big_grid and board.big_grid[0][2] == "green" else []
    return [*own_column, *made]


def _corner(grid: Grid, cell: tuple[Any, ...], seen: Window) -> tuple[float, float]:
    """Return the upper left corner of a cell that is seen."""
    return grid.x + (cell[0] - seen.first) * grid.cell, grid.y + (cell[1] - 1) * grid.cell


def _mark(kind: Kind, x: float, y: float, size: float, words: Words, values: list[Any]) -> Iterator[Shape]:
    if kind == "bead":
        yield from bead(x, y, size, words, *values)
    elif kind == "big":
        yield from ring(x, y, size, *values)
    else:
        yield sign(kind, x, y, size, values[0])


def _title(grid: Grid, title: str, words: Words, seen: Window) -> Iterator[Shape]:
    """Yield the road's name, and on either side how many marks are out of sight."""
    y, middle, size = grid.y - 12, grid.y + grid.height / 2, fitted(title, TITLE_LETTERS, grid.width, bold=True)
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
