"""All roads of a shoe, grown round by round or drawn anew."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from firmware_bridge.games.baccarat.roads.bead import Bead
from firmware_bridge.games.baccarat.roads.columns import BigRoad, LeadingTies, big_road_of, extend
from firmware_bridge.games.baccarat.roads.derived import DERIVED, runs_of, sign_of, signs
from firmware_bridge.games.baccarat.roads.good import ALL_GOOD, GoodId
from firmware_bridge.games.baccarat.roads.picture import Picture, Row1Limit, picture_of, place


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
