"""Zha jin hua: three cards face down, betting with looks and comparisons, and a pot."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.facts.events_of_rounds import Net
from firmware_bridge.games.asks import Question
from firmware_bridge.games.game import Game, Layout, Start
from firmware_bridge.games.zhajinhua.hands import beats
from firmware_bridge.games.zhajinhua.offers import WORDS
from firmware_bridge.games.zhajinhua.result import Own, SeatHand
from firmware_bridge.games.zhajinhua.script import round
from firmware_bridge.games.zhajinhua.seats import EXACT, SEATS, plain
from firmware_bridge.games.zhajinhua.terms import ZhaJinHua

SLOTS: Final = tuple(f"S{number}" for number in SEATS)

PUT: Final = ("ante", "call", "raise", "put", "all_in")
"""What a seat does that puts money into the pot."""


def _answer(question: Question, faces: Mapping[int, Card], table: Layout) -> str:
    """Which of two seats has the better hand."""
    first, second = (
        tuple(faces[n] for n, each in enumerate(table.placed) if each.slot == slot) for slot in question.of
    )
    return question.of[0] if beats(first, second) else question.of[1]


def _staked(table: Layout, start: Start) -> dict[str, Net]:
    """What each seat has put in so far."""
    put: dict[str, Decimal] = {}
    for verb, *about in table.did:
        if verb in PUT:
            seat, amount = str(about[0]), Decimal(str(about[1]))
            put[seat] = EXACT.add(put.get(seat, Decimal(0)), amount)
    return {seat: plain(amount) for seat, amount in put.items()}


GAME: Final = Game(
    name="zhajinhua",
    terms=ZhaJinHua,
    pack=dict.fromkeys(FACES, 1),
    packs=range(1, 2),
    slots=SLOTS,
    areas={"seats": SLOTS},
    round=round,
    words=WORDS,
    stakes="money",
    hand=SeatHand,
    own=Own,
    answer=_answer,
    staked=_staked,
)
