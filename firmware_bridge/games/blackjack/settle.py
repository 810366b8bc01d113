"""Chips and cards that change hands: at once where a hand is over, and at the end from the dealer's right."""

from __future__ import annotations

from collections.abc import Generator
from decimal import Decimal
from typing import Any

from firmware_bridge.games.asks import Ask, did, in_words
from firmware_bridge.games.blackjack.felt import Felt, Hand
from firmware_bridge.games.blackjack.totals import MOST, total

Said = Generator[Ask, Any, None]


def lose(felt: Felt, hand: Hand, amount: Decimal) -> Said:
    """Take chips of a hand that is over, then its cards."""
    yield from _take(hand, amount)
    yield from _discard(felt, hand)


def pay_blackjacks(felt: Felt) -> Said:
    """Pay each blackjack of a seat one and a half, and take its cards."""
    for hand in felt.from_right:
        if felt.natural(hand):
            hand.how = "blackjack"
            yield from _pay(hand, hand.bet + hand.bet / 2)
            yield from _discard(felt, hand)


def settle_blackjack(felt: Felt) -> Said:
    """The dealer has a blackjack: seats with one push, all others lose."""
    for hand in felt.from_right:
        if felt.natural(hand):
            hand.how = "blackjack"
            yield did("push", hand.name)
        else:
            hand.how = "dealer_blackjack"
            yield from _take(hand, hand.bet)
    for hand in felt.from_right:
        yield from _discard(felt, hand)
    yield from _discard_dealer(felt)


def settle(felt: Felt) -> Said:
    """Hands that wait for the dealer's are compared with it: first all chips, then the cards."""
    alive = [hand for hand in felt.from_right if hand.is_alive]
    dealer = total(felt.open_dealer)[0]
    for hand in alive:
        if dealer > MOST or hand.total > dealer:
            yield from _pay(hand, hand.stake)
        elif hand.total == dealer:
            yield did("push", hand.name)
        else:
            yield from _take(hand, hand.stake)
    for hand in alive:
        yield from _discard(felt, hand)
    yield from _discard_dealer(felt)


def _pay(hand: Hand, amount: Decimal) -> Said:
    hand.net = amount
    yield did("pay", hand.name, in_words(amount))


def _take(hand: Hand, amount: Decimal) -> Said:
    hand.net = -amount
    yield did("take", hand.name, in_words(amount))


def _discard(felt: Felt, hand: Hand) -> Said:
    felt.discards.append(hand.name)
    yield did("discard", hand.name)


def _discard_dealer(felt: Felt) -> Said:
    felt.discards.append("D")
    yield did("discard", "D")
