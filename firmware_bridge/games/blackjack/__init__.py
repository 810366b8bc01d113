"""Blackjack: seats against the dealer, with marks, splits, doubles and a hole card."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games.asks import Question
from firmware_bridge.games.blackjack.play import WORDS
from firmware_bridge.games.blackjack.result import Hand, Own
from firmware_bridge.games.blackjack.script import DEALER, round
from firmware_bridge.games.blackjack.terms import Blackjack
from firmware_bridge.games.blackjack.totals import is_blackjack
from firmware_bridge.games.game import Game, Layout

SEATS: Final = tuple(f"S{seat}" for seat in range(1, 8))


def _answer(question: Question, faces: Mapping[int, Card], table: Layout) -> str:
    """Whether the dealer's two cards are a blackjack."""
    dealers = [faces[n] for n, each in enumerate(table.placed) if each.slot == DEALER]
    return "yes" if is_blackjack(dealers) else "no"


GAME: Final = Game(
    name="blackjack",
    terms=Blackjack,
    pack=dict.fromkeys(FACES, 1),
    packs=range(6, 9, 2),
    slots=(*SEATS, DEALER),
    areas={"seats": SEATS, "dealer": (DEALER,)},
    round=round,
    words=WORDS,
    stakes="bets",
    hand=Hand,
    own=Own,
    answer=_answer,
)
