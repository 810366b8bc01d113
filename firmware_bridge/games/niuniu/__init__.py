"""Niu-niu with a grabbed bank: four seats, one pack a round, every player against the banker."""

from __future__ import annotations

from typing import Final

from firmware_bridge.facts.cards import FACES
from firmware_bridge.games.bank import BET, GRAB, SLOTS, Bank, remarks, strategy
from firmware_bridge.games.game import Game, OddsBook
from firmware_bridge.games.moves import LOT
from firmware_bridge.games.niuniu.as_json import compare, summary
from firmware_bridge.games.niuniu.hands import Hand
from firmware_bridge.games.niuniu.script import EACH, Own, round
from firmware_bridge.games.niuniu.terms import NiuNiu


def _odds() -> OddsBook:
    from firmware_bridge.games.niuniu.odds import BOOK

    return BOOK


GAME: Final = Game(
    name="niuniu",
    terms=NiuNiu,
    pack=dict.fromkeys(FACES, 1),
    packs=range(1, 2),
    fewest=lambda terms: EACH * len(SLOTS),
    slots=SLOTS,
    areas={slot: (slot,) for slot in SLOTS},
    players=range(4, 5),
    round=round,
    strategy=strategy,
    remarks=remarks,
    words=(GRAB, BET, LOT),
    hand=Hand,
    own=Own,
    ends=lambda terms, start: bool(start.before),
    one_round_packs=True,
    shows=Bank,
    compare=compare,
    summary=summary,
    odds=_odds,
    ceremony="hands are opened from the banker's next seat, his own last",
    staked=lambda layout, start: dict.fromkeys(SLOTS, "0"),
)
