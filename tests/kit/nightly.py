"""How much of what is drawn or counted out a run tries: all with `EVERY_CELL=yes` (.ci/run), a share by day."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Final, TypeVar

T = TypeVar("T")

EVERY: Final = "EVERY_CELL" in os.environ
"""Whether this run tries everything."""


def share(count: int, of: int = 3) -> int:
    """`count`, or one in `of` of it by day."""
    return count if EVERY else count // of


def some(cases: Iterable[T], of: int) -> list[T]:
    """All of the cases; by day one in `of` of them, spread evenly, the first and the last always."""
    every = list(cases)
    if EVERY or not every:
        return every
    return [*every[:-1:of], every[-1]]
