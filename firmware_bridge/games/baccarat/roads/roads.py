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


class Derived(Struct, frozen=True):
    """A derived road: its signs ("RBR..", one per cell) and their picture."""

    picture: Picture
    signs: str = ""


class Roads(Struct, frozen=True):
    """The rounds of a shoe, the big road's columns, and the pictures of big road and derived roads."""

    settings: RoadSettings
    beads: tuple[Bead, ...]
    big_road: BigRoad
    big: Picture
    derived: tuple[Derived, ...]


DEFAULTS: Final = RoadSettings()


def roads_of(rounds: Iterable[Bead], settings: RoadSettings = DEFAULTS) -> Roads:
    """The roads of these rounds, drawn anew: after a correction, or for a new shoe (no rounds, empty roads)."""
    beads = tuple(rounds)
    big_road = big_road_of("".join([bead[0] for bead in beads]), settings.leading_ties)
    lengths = [len(ties) for _, ties in big_road.columns]
    limit = settings.row1_limit
    derived = tuple([_derived(signs(lengths, back), limit) for back in DERIVED.values()])
    big = picture_of([side * len(ties) for side, ties in big_road.columns], limit)
    return Roads(settings, beads, big_road, big, derived)


def append(roads: Roads, bead: Bead) -> Roads:
    """The roads after one more round; only their ends are touched."""
    settings, before = roads.settings, roads.big_road.columns
    beads, big_road = (*roads.beads, bead), extend(roads.big_road, bead.outcome, settings.leading_ties)
    columns = big_road.columns
    if bead.outcome == "T" and len(columns) == len(before):
        return Roads(settings, beads, big_road, roads.big, roads.derived)
    big = place(roads.big, bead.outcome)
    derived = tuple(
        [_signed(road, sign_of(columns, back)) for road, back in zip(roads.derived, DERIVED.values(), strict=True)]
    )
    return Roads(settings, beads, big_road, big, derived)


def _derived(signs: str, limit: Row1Limit) -> Derived:
    return Derived(picture_of(runs_of(signs), limit), signs)


def _signed(road: Derived, sign: str | None) -> Derived:
    if sign is None:
        return road
    return Derived(place(road.picture, sign), road.signs + sign)
