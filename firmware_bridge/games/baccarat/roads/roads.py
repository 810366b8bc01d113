"""All roads of a shoe, grown round by round or drawn whole, and the signs of the three derived roads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import eq
from typing import Final, Literal

from msgspec import Struct

from firmware_bridge.games.baccarat.roads.columns import Bead, BigRoad, Column, LeadingTies, big_road_of, extend
from firmware_bridge.games.baccarat.roads.good import ALL_GOOD, GoodId
from firmware_bridge.games.baccarat.roads.picture import Picture, Row1Limit, picture_of, place

Sign = Literal["R", "B"]
"""R = red, regular; B = blue, irregular. Nothing to do with banker and player."""

DERIVED: Final = {"big_eye": 1, "small": 2, "cockroach": 3}
"""Road -> how many columns to the left it compares with [000]."""


class RoadSettings(Struct, frozen=True):
    """Where houses differ; `good` lists the good roads that are shown."""

    leading_ties: LeadingTies = "first-bead"
    row1_limit: Row1Limit = "stay"
    good: tuple[GoodId, ...] = ALL_GOOD


class Derived(Struct):
    """A derived road: its signs ("RBR..", one per cell) and their picture; it grows at its end.

    back: how many columns to the left it compares with.
    """

    back: int
    picture: Picture
    signs: str = ""


class Roads(Struct):
    """The rounds of a shoe, the big road's columns, and the pictures of big road and derived roads.

    It grows round by round (`append`); what is shown of it is a `Board`, which does not change.
    """

    settings: RoadSettings
    beads: list[Bead]
    big_road: BigRoad
    big: Picture
    derived: tuple[Derived, ...]


DEFAULTS: Final = RoadSettings()


def roads_of(rounds: Iterable[Bead], settings: RoadSettings = DEFAULTS) -> Roads:
    """The roads of these rounds, drawn anew: after a correction, or for a new shoe (no rounds, empty roads)."""
    beads = list(rounds)
    big_road = big_road_of("".join([bead[0] for bead in beads]), settings.leading_ties)
    lengths = [len(ties) for _, ties in big_road.columns]
    limit = settings.row1_limit
    derived = tuple([_derived(back, signs(lengths, back), limit) for back in DERIVED.values()])
    big = picture_of([side * len(ties) for side, ties in big_road.columns], limit)
    return Roads(settings, beads, big_road, big, derived)


def append(roads: Roads, bead: Bead) -> None:
    """Put one more round on the roads; only their ends are touched."""
    outcome = bead[0]
    roads.beads.append(bead)
    if not extend(roads.big_road, outcome, roads.settings.leading_ties):
        return
    place(roads.big, outcome)
    columns = roads.big_road.columns
    for road in roads.derived:
        if sign := sign_of(columns, road.back):
            place(road.picture, sign)
            road.signs += sign


def _derived(back: int, signs: str, limit: Row1Limit) -> Derived:
    return Derived(back, picture_of(runs_of(signs), limit), signs)


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
