"""Which columns of a road are seen where it is wider than its grid: those around its newest mark."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

BEHIND: Final = 8
"""Columns left of the newest mark that stay in sight, where there is room: derived roads compare up to four."""


class Window(NamedTuple):
    """Columns `first` to `last` of a road, and how many of its marks lie left and right of them."""

    first: int
    last: int
    earlier: int
    later: int

    def shows(self, column: int) -> bool:
        """Whether a column is seen."""
        return self.first <= column <= self.last


def window(cells: Sequence[tuple[Any, ...]], columns: int) -> Window:
    """What is seen of a road's cells on so many columns (1 or more): the right end, or what is around the newest mark.

    A long run goes far to the right of the columns that follow it: the newest mark may be left of its end.
    """
    taken = [int(cell[0]) for cell in cells] or [0]
    first = max(1, max(taken) - columns + 1)
    first = min(first, max(1, taken[-1] - min(BEHIND, columns // 2)))
    last = first + columns - 1
    return Window(first, last, sum(0 < column < first for column in taken), sum(column > last for column in taken))
