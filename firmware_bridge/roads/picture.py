"""A road's picture: where its runs of equal beads lie on a grid of six rows."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Literal

from msgspec import Struct

from firmware_bridge.roads.bead import ROWS, Cell

Row1Limit = Literal["stay", "descend"]
"""A run that cannot leave row 1 stays there, or goes down at the first column where it can [000, two readings]."""


class Picture(Struct, frozen=True):
    """The cells of all beads in their order, and what the next bead's place depends on.

    The open run goes along row 1 from column `start` to `drop` (nearly always the same), down to row `depth`, then
    right for good. `ahead`: how many rows are free from the top in the columns after `start`, before this run;
    all six where it ends.
    """

    limit: Row1Limit = "stay"
    cells: tuple[Cell, ...] = ()
    start: int = 0
    drop: int = 0
    depth: int = ROWS
    length: int = 0
    ahead: tuple[int, ...] = ()


def place(picture: Picture, new_run: bool) -> Picture:
    """The picture with one more bead: of the open run, or the first of a new one."""
    if new_run or not picture.cells:
        start, drop, depth, ahead = _opened(picture.start, _left_free(picture), picture.limit)
        return Picture(picture.limit, (*picture.cells, (start, 1)), start, drop, depth, 1, ahead)
    limit, start, drop, depth, length = picture.limit, picture.start, picture.drop, picture.depth, picture.length + 1
    cells = (*picture.cells, _cell(start, drop, depth, length))
    return Picture(limit, cells, start, drop, depth, length, picture.ahead)


def next_cell(picture: Picture, new_run: bool) -> Cell:
    """Where one more bead would lie."""
    if new_run or not picture.cells:
        return _opened(picture.start, _left_free(picture), picture.limit)[0], 1
    return _cell(picture.start, picture.drop, picture.depth, picture.length + 1)


def picture_of(runs: Iterable[int], limit: Row1Limit = "stay") -> Picture:
    """The picture of whole runs, given by their lengths (each at least 1)."""
    cells: list[Cell] = []
    start, drop, depth, length = 0, 0, ROWS, 0
    ahead: tuple[int, ...] = ()
    for run in runs:
        if length > depth or ahead or start != drop:
            free = _left_free(Picture(limit, (), start, drop, depth, length, ahead))
            start, drop, depth, ahead = _opened(start, free, limit)
        else:  # nothing in the way, as for most runs
            start, drop, depth = start + 1, start + 1, ROWS
        length = run
        if run <= depth and start == drop:
            cells += _straight(start, run)
        else:
            cells += [_cell(start, drop, depth, bead) for bead in range(1, run + 1)]
    return Picture(limit, tuple(cells), start, drop, depth, length, ahead)


@cache
def _straight(column: int, run: int) -> tuple[Cell, ...]:
    return tuple((column, row) for row in range(1, run + 1))


def _cell(start: int, drop: int, depth: int, bead: int) -> Cell:
    """Where bead `bead` (from 1) of a run lies: along row 1, down, then right."""
    down = bead - (drop - start)
    if down < 1:
        return start + bead - 1, 1
    return (drop, down) if down <= depth else (drop + down - depth, depth)


def _opened(before: int, free: tuple[int, ...], limit: Row1Limit) -> tuple[int, int, int, tuple[int, ...]]:
    """Start, drop, depth and what is ahead of a run that follows one that began in column `before`.

    free: free rows from the top in the columns after `before`.
    """
    skipped = next((place for place, rows in enumerate(free) if rows), len(free))
    start, ahead = before + 1 + skipped, free[skipped + 1 :]
    depth = free[skipped] if skipped < len(free) else ROWS
    if depth > 1 or limit == "stay":
        return start, start, depth, ahead
    along = next((place for place, rows in enumerate(ahead) if rows > 1), len(ahead))
    return start, start + 1 + along, ahead[along] if along < len(ahead) else ROWS, ahead


def _left_free(picture: Picture) -> tuple[int, ...]:
    """Free rows from the top in the columns after the open run's start, once it has ended."""
    start, drop, depth, length = picture.start, picture.drop, picture.depth, picture.length
    along = min(drop - start, length - 1)
    tail = max(length - (drop - start) - depth, 0)
    if along <= 0 and not tail:
        return picture.ahead
    taken = (0,) * along + (depth - 1,) * tail
    return taken + picture.ahead[len(taken) :]
