"""How a round ended, as guests see it: hands, who won, the pot; by game, and of each game what is named here."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from firmware_bridge.facts.cards import Card
from firmware_bridge.floor.page.guest import read
from firmware_bridge.floor.page.guest.words import known

SEAT: Final = re.compile(r"S([1-9][0-9]?)(?:\.([1-9][0-9]?))?|D")
DIGIT: Final = re.compile(r"[0-9](\.5)?")
HIDDEN: Final = 3
"""Cards of a hand of zha jin hua that nobody is shown."""


class Hand(NamedTuple):
    """A hand: whose, its cards (None: face down), what they count or are, and how it ended.

    name: `player`, `banker`, or a seat as messages name it. kind, outcome: ids of words (guest_words.py).
    """

    name: str
    cards: tuple[str | None, ...]
    points: str = ""
    kind: str = ""
    outcome: str = ""


class Result(NamedTuple):
    """A round that is over. outcome: the id of a word, "void" for one that counts for nothing. seat: who won a pot."""

    round: int
    outcome: str
    seat: str = ""
    hands: tuple[Hand, ...] = ()
    natural: bool = False
    pot: str = ""


def seat(slot: str) -> tuple[int, int] | None:
    """A seat, or a hand of it, as numbers to sort by, the dealer first; None for what is none."""
    found = SEAT.fullmatch(slot)
    return (int(found[1] or 0), int(found[2] or 0)) if found else None


def result(told: read.Round) -> Result:
    """How a round ended."""
    if told.status == "voided" or told.game not in _RESULTS:
        return Result(told.round, "void" if told.status == "voided" else "")
    return _RESULTS[told.game](told)


def _baccarat(told: read.Round) -> Result:
    hands = [
        Hand(side, _faces(hand.cards), "" if hand.total is None else str(hand.total))
        for side in ("player", "banker")
        if (hand := told.hands.get(side))
    ]
    outcome = f"wins.{told.outcome}" if told.outcome in ("player", "banker", "tie") else ""
    return Result(told.round, outcome, "", tuple(hands), told.natural)


def _blackjack(told: read.Round) -> Result:
    dealer = told.dealer
    hands = [] if dealer is None else [Hand("D", _faces(dealer.cards), str(dealer.total), _how_dealer(dealer))]
    for slot, hand in _by_seat(told.hands):
        points = "" if hand.total is None else str(hand.total)
        hands.append(Hand(slot, _faces(hand.cards), points, known("blackjack", hand.how), _ended(hand.outcome)))
    return Result(told.round, known("blackjack", told.outcome), "", tuple(hands))


def _how_dealer(dealer: read.Dealer) -> str:
    return known("blackjack", "blackjack" if dealer.blackjack else "bust" if dealer.bust else "")


def _grabbed(told: read.Round) -> Result:
    """Niu-niu and er ba gang: each hand against the bank's."""
    hands = []
    for slot, hand in _by_seat(told.hands):
        ended = "bank" if slot == told.banker else _ended(told.outcomes.get(slot, ""))
        points = hand.digit if hand.kind == "points" and DIGIT.fullmatch(hand.digit) else ""
        kind = "" if points else known(told.game, hand.kind)
        hands.append(Hand(slot, _faces(hand.cards), points, kind, ended))
    outcome = {"banker": "wins.bank", "players": "wins.players", "even": "wins.even"}.get(told.outcome, "")
    return Result(told.round, outcome, "", tuple(hands))


def _zhajinhua(told: read.Round) -> Result:
    """Only the hands that the house shows to guests are named."""
    hands = []
    for slot, hand in _by_seat(told.hands):
        is_shown = slot in told.shown
        cards = _faces(hand.cards) if is_shown else (None,) * HIDDEN
        ended = "win" if slot == told.winner else ""
        hands.append(Hand(slot, cards, "", known("zhajinhua", hand.kind) if is_shown else "", ended))
    winner = told.winner if seat(told.winner) else ""
    return Result(told.round, "wins.seat" if winner else "", winner, tuple(hands), pot=amount(told.pot))


_RESULTS: Final[Mapping[str, Callable[[read.Round], Result]]] = {
    "baccarat": _baccarat,
    "blackjack": _blackjack,
    "niuniu": _grabbed,
    "erbagang": _grabbed,
    "zhajinhua": _zhajinhua,
}

_AMOUNT: Final = re.compile(r"[0-9]{1,18}(\.[0-9]{1,8})?")


def amount(text: str) -> str:
    """An amount as it is written, "" for any other text."""
    return text if _AMOUNT.fullmatch(text) else ""


def _by_seat(hands: Mapping[str, read.Hand]) -> Iterator[tuple[str, read.Hand]]:
    told = [(place, slot, hand) for slot, hand in hands.items() if (place := seat(slot))]
    for _, slot, hand in sorted(told, key=lambda each: each[0]):
        yield slot, hand


def _faces(cards: tuple[Card, ...]) -> tuple[str, ...]:
    return tuple([card.value for card in cards])


def _ended(word: str) -> str:
    return word if word in ("win", "lose", "push") else ""
