"""The signs of the three derived roads, compared column against column of the big road."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from operator import eq
from typing import Final, Literal

from firmware_bridge.games.baccarat.roads.columns import Column

Sign = Literal["R", "B"]
"""R = red, regular; B = blue, irregular. Nothing to do with banker and player."""

DERIVED: Final = {"big_eye": 1, "small": 2, "cockroach": 3}
"""Road -> how many columns to the left it compares with [000]."""

runs_of: Final[Callable[[str], list[str]]] = re.compile("R+|B+").findall
"""The blocks of equal signs: each is a run of the picture."""


def sign_of(columns: Sequence[Column], back: int) -> Sign | None:
    """The sign of road `back` for the newest bead; None before the road's start cell."""
    newest, row = len(columns), len(columns[-1][1])
    if row > 1:
        return _down(row, len(columns[-1 - back][1])) if newest > back else None
    return _across(len(columns[-2][1]) == len(columns[-2 - back][1])) if newest > back + 1 else None


def signs(lengths: Sequence[int], back: int) -> str:
    """All signs of road `back` for columns of these lengths."""
    if len(lengths) <= back:
        return ""
    later = map(_column, lengths[back + 1 :], lengths[1:], map(eq, lengths[back:], lengths))
    return _below(lengths[back], lengths[0]) + "".join(later)


def _across(even: bool) -> Sign:
    """A new column's first bead: red if the columns before it are even."""
    return "R" if even else "B"


def _down(row: int, other: int) -> Sign:
    """A bead further down: blue only just below the end of the other column."""
    return "B" if row == other + 1 else "R"


@cache
def _column(length: int, other: int, even: bool) -> str:
    """The signs of a whole column; `even`: the two columns before it are equally long."""
    return _across(even) + _below(length, other)


@cache
def _below(length: int, other: int) -> str:
    """The signs of a column from its second bead on, against a column of length `other`."""
    return "".join(_down(row, other) for row in range(2, length + 1))
