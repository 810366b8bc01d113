"""A road's picture: the places of its runs of equal beads on a grid of six rows."""

from typing import Literal

from msgspec import Struct

from firmware_bridge.games.baccarat.roads.columns import ROWS, Cell

Row1Limit = Literal["stay", "descend"]
"""A run that cannot leave row 1 stays there, or goes down at the first column where it can [000, two readings]."""


Signed = tuple[int, int, str]
"""A cell and the sign of the bead in it: B, P or T in the big road, R or B in a derived road."""


class Picture(Struct):
    """The cells of all beads in order, and the state for the next bead's place; it grows at its end.

    The open run goes along row 1 from column `start` to `drop` (nearly always the same), down to row `depth`, then
    right to its end. `ahead`: how many rows are free from the top in the columns after `start`, before this run;
    all six where it ends.
    """

    limit: Row1Limit = "stay"
    cells: list[Signed] = []
    start: int = 0
    drop: int = 0
    depth: int = ROWS
    length: int = 0
    ahead: tuple[int, ...] = ()


def place(picture: Picture, sign: str) -> None:
    """Put one more bead on the picture: of the open run, or, if its sign is another, the first of a new one."""
    cells = picture.cells
    if cells and cells[-1][2] == sign:
        length, drop = picture.length + 1, picture.drop
        picture.length = length
        is_plain = length <= picture.depth and drop == picture.start
        cells.append((drop, length, sign) if is_plain else (*_cell(picture.start, drop, picture.depth, length), sign))
        return
    if picture.ahead or picture.start != picture.drop or picture.length > picture.depth:
        picture.start, picture.drop, picture.depth, picture.ahead = _next_run(picture)
    else:  # nothing in its way
        picture.start = picture.drop = picture.start + 1
        picture.depth = ROWS
    picture.length = 1
    cells.append((picture.start, 1, sign))


def next_cell(picture: Picture, sign: str) -> Cell:
    """Return the cell of one more bead."""
    if not _goes_on(picture, sign):
        return _next_run(picture)[0], 1
    return _cell(picture.start, picture.drop, picture.depth, picture.length + 1)


def _cell(start: int, drop: int, depth: int, bead: int) -> Cell:
    """Return the cell of bead `bead` (from 1) of a run: along row 1, down, then right."""
    down = bead - (drop - start)
    if down < 1:
        return start + bead - 1, 1
    return (drop, down) if down <= depth else (drop + down - depth, depth)


def _goes_on(picture: Picture, sign: str) -> bool:
    return bool(picture.cells) and picture.cells[-1][2] == sign


def _next_run(picture: Picture) -> tuple[int, int, int, tuple[int, ...]]:
    """Return start, drop, depth and what is ahead of the run after the open one."""
    free = _left_free(picture.start, picture.drop, picture.depth, picture.length, picture.ahead)
    return _opened(picture.start, free, picture.limit)


def _opened(before: int, free: tuple[int, ...], limit: Row1Limit) -> tuple[int, int, int, tuple[int, ...]]:
    """Return start, drop, depth and ahead of a run after one begun in column `before`, with `free` rows after that."""
    skipped = next((place for place, rows in enumerate(free) if rows), len(free))
    start, ahead = before + 1 + skipped, free[skipped + 1 :]
    depth = free[skipped] if skipped < len(free) else ROWS
    if depth > 1 or limit == "stay":
        return start, start, depth, ahead
    along = next((place for place, rows in enumerate(ahead) if rows > 1), len(ahead))
    return start, start + 1 + along, ahead[along] if along < len(ahead) else ROWS, ahead


def _left_free(start: int, drop: int, depth: int, length: int, ahead: tuple[int, ...]) -> tuple[int, ...]:
    """Return the free rows from the top in the columns after a run's start, once it has ended with `length` beads."""
    along = min(drop - start, length - 1)
    tail = max(length - (drop - start) - depth, 0)
    if along <= 0 and not tail:
        return ahead
    taken = (0,) * along + (depth - 1,) * tail
    return taken + ahead[len(taken) :]
