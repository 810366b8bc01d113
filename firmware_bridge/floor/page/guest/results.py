"""How a round ended, as guests see it: what its game shows of it, as far as a screen has words for it."""

from __future__ import annotations

import re
from typing import Final

from firmware_bridge.floor.page.guest import read
from firmware_bridge.floor.page.guest.words import WORDS
from firmware_bridge.games import GAMES
from firmware_bridge.games.guest import Hand, Result, seat

POINTS: Final = re.compile(r"[0-9]+(\.5)?")

_AMOUNT: Final = re.compile(r"[0-9]{1,18}(\.[0-9]{1,8})?")


def result(told: read.Round) -> Result:
    """How a round ended."""
    if told.status == "voided" or told.game not in GAMES:
        return Result(told.round, "void" if told.status == "voided" else "")
    guest = GAMES[told.game].guest
    shown = guest.result(told)
    named = [hand for hand in shown.hands if hand.name in guest.sides or seat(hand.name)]
    hands = [
        _known(hand) if not guest.hidden or hand.name in told.shown else _hidden(hand, guest.hidden)
        for hand in sorted(named, key=lambda each: seat(each.name) or (0, 0))
    ]
    winner = shown.seat if seat(shown.seat) else ""
    outcome = "" if shown.seat and not winner else _word(shown.outcome)
    return Result(told.round, outcome, winner, tuple(hands), shown.natural, amount(shown.pot))


def amount(text: str) -> str:
    """An amount as it is written, "" for any other text."""
    return text if _AMOUNT.fullmatch(text) else ""


def _known(hand: Hand) -> Hand:
    """A hand without the texts that are no words of the screen."""
    points = hand.points if POINTS.fullmatch(hand.points) else ""
    return Hand(hand.name, hand.cards, points, _word(hand.kind), _word(hand.outcome))


def _hidden(hand: Hand, cards: int) -> Hand:
    return Hand(hand.name, (None,) * cards, outcome=_word(hand.outcome))


def _word(id: str) -> str:
    return id if id in WORDS["en"] else ""
