"""Er ba gang: forty tiles, four seats, five rounds a game, every player against the banker."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from firmware_bridge.facts.cards import TILES
from firmware_bridge.games.bank import BET, GRAB, SLOTS, remarks, strategy
from firmware_bridge.games.erbagang.as_json import compare, summary
from firmware_bridge.games.erbagang.game_so_far import Own, Running, is_over
from firmware_bridge.games.erbagang.hands import Hand
from firmware_bridge.games.erbagang.script import EACH, round
from firmware_bridge.games.erbagang.terms import ErBaGang
from firmware_bridge.games.game import Game, OddsBook
from firmware_bridge.games.moves import LOT


def _odds() -> OddsBook:
    from firmware_bridge.games.erbagang.odds import BOOK

    return BOOK


def _remarks(told: Mapping[str, Any]) -> tuple[str, ...]:
    """The bank, the round of the game, and who cannot go on."""
    stopped = (f"stopped: {', '.join(told['out'])}",) if told["stopped"] else ()
    return (*remarks(told), f"round {told['game_round']} of the game", *stopped)


GAME: Final = Game(
    name="erbagang",
    terms=ErBaGang,
    pack=dict.fromkeys(TILES, 4),
    packs=range(1, 2),
    fewest=lambda terms: EACH * len(SLOTS),
    may_burn=False,
    slots=SLOTS,
    areas={slot: (slot,) for slot in SLOTS},
    players=range(4, 5),
    round=round,
    strategy=strategy,
    remarks=_remarks,
    words=(GRAB, BET, LOT),
    stakes="money",
    hand=Hand,
    own=Own,
    ends=lambda terms, start: is_over(start),
    stakes_per="pack",
    one_round_packs=True,
    shows=Running,
    compare=compare,
    summary=summary,
    odds=_odds,
    ceremony="hands are opened from the banker's next seat, his own last",
    staked=lambda layout, start: dict.fromkeys(SLOTS, "0"),
)
