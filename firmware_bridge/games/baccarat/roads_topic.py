"""The retained topic `roads`: all roads of a shoe, grown round by round."""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Raw

from firmware_bridge.games.baccarat.roads import Bead, Board, RoadSettings, append, roads_of
from firmware_bridge.games.baccarat.roads.bead import LETTERS
from firmware_bridge.games.baccarat.roads.good import ALL_GOOD
from firmware_bridge.games.baccarat.roads.told import Told
from firmware_bridge.games.baccarat.script import Own
from firmware_bridge.games.baccarat.terms import Baccarat
from firmware_bridge.games.game import Ended, Topic

_decode = msgspec.json.Decoder(Own).decode


def _empty(terms: Baccarat) -> Told:
    shown = ALL_GOOD if terms.good_roads is None else tuple(each for each in ALL_GOOD if each in terms.good_roads)
    return Told(roads_of((), RoadSettings(terms.leading_ties, terms.row1_limit, shown)))


def bead_of(outcome: str, own: Raw) -> Bead:
    """The bead of a round that counts."""
    said = _decode(own)
    return Bead(LETTERS[outcome], said.pairs["banker"], said.pairs["player"], said.natural)


def _grow(told: Told, round: Ended) -> Told:
    append(told.roads, bead_of(round.outcome or "", round.own))
    return told


ROADS: Final = Topic("roads", Board, _empty, _grow, Told.json)
