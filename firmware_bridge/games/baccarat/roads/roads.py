"""All roads of a shoe, grown round by round, and the signs of the three derived roads."""

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from msgspec import Struct

from firmware_bridge.games.baccarat.roads.columns import Bead, BigRoad, Column, LeadingTies, extend
from firmware_bridge.games.baccarat.roads.good import ALL_GOOD, GoodId
from firmware_bridge.games.baccarat.roads.picture import Picture, Row1Limit, place

Sign = Literal["R", "B"]
"""R = red, regular; B = blue, irregular. Nothing to do with banker and player."""

DERIVED: Final = {"big_eye": 1, "small": 2, "cockroach": 3}
"""Road -> how many columns to the left it compares with [000]."""


class RoadSettings(Struct, frozen=True):
    """The settings of a house; `good` lists the good roads that are shown."""

    leading_ties: LeadingTies = "first-bead"
    row1_limit: Row1Limit = "stay"
    good: tuple[GoodId, ...] = ALL_GOOD


class Derived(Struct):
    """A derived road: its signs ("RBR..", one per cell) and picture; it compares with `back` columns to the left."""

    back: int
    picture: Picture
    signs: str = ""


class Roads(Struct):
    """The rounds of a shoe, the big road's columns, and all pictures; `append` grows them, a `Board` shows them."""

    settings: RoadSettings
    beads: list[Bead]
    big_road: BigRoad
    big: Picture
    derived: tuple[Derived, ...]


DEFAULTS: Final = RoadSettings()


def roads_of(rounds: Iterable[Bead], settings: RoadSettings = DEFAULTS) -> Roads:
    """Return the roads of these rounds from the start: after a correction, or for a new shoe (no rounds)."""
    derived = tuple([Derived(back, Picture(settings.row1_limit)) for back in DERIVED.values()])
    roads = Roads(settings, [], BigRoad(), Picture(settings.row1_limit), derived)
    for bead in rounds:
        append(roads, bead)
    return roads


def append(roads: Roads, bead: Bead) -> None:
    """Put one more round on the roads; only their ends change."""
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


def sign_of(columns: Sequence[Column], back: int) -> Sign | None:
    """Return the sign of road `back` for the newest bead; None before the road's start cell.

    A column's first bead is red if the columns before it are even; one further down is blue only just below the end
    of the other column.
    """
    newest, row = len(columns), len(columns[-1][1])
    if row > 1:
        return ("B" if row == len(columns[-1 - back][1]) + 1 else "R") if newest > back else None
    return ("R" if len(columns[-2][1]) == len(columns[-2 - back][1]) else "B") if newest > back + 1 else None
