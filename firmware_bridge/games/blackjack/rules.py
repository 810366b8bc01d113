"""The settings of blackjack, and the points of its cards."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Annotated, Final, Literal

from msgspec import Meta

from firmware_bridge.facts.cards import Card
from firmware_bridge.games.game import Terms
from firmware_bridge.games.prompts import Between, check_settings

SEATS: Final = 7
"""How many seats a table has at most."""

VALUES: Final = {"A": 1, "T": 10, "J": 10, "Q": 10, "K": 10} | {str(pip): pip for pip in range(2, 10)}
"""Rank -> points of a card; an ace counts 11 where that does not pass 21."""
MOST: Final = 21

STANDS_ON: Final = 17
"""The dealer stands on this total and every one above it, with an ace as 11 too."""

PEEKS: Final = frozenset("TJQKA")
"""Ranks of the dealer's first card with which the hole card may make a blackjack."""


class Blackjack(Terms, frozen=True):
    """`[game]` of a blackjack table.

    seats: how many seats the table has; seat 1 is at the dealer's left.
    min: the least that a bet may be.
    max: the most that a bet may be.
    max_hands: the most hands that a seat may come to have by splitting.
    split_by: what makes two cards a pair: the same rank, or the same value, as a ten and a king have.
    split_aces: whether split aces are played as any other hand, or get one card each and stand.
    """

    seats: Annotated[int, Meta(ge=1, le=SEATS)] = SEATS
    min: Decimal = Decimal(10)
    max: Decimal = Decimal(1000)
    max_hands: Annotated[int, Meta(ge=1, le=99)] = 4
    split_by: Literal["rank", "value"] = "rank"
    split_aces: Literal["play", "one-card"] = "play"

    def __post_init__(self) -> None:
        check_settings(min=self.min, max=self.max)
        if not self.min > 0:
            raise ValueError(f"min = {self.min}: must be more than 0")
        if self.max < self.min:
            raise ValueError(f"max = {self.max}: must be at least min, {self.min}")


def refused(seat: int, bet: Decimal, seats: int, least: Decimal, most: Decimal) -> str:
    """Return why a bet is refused at a table of `seats` seats with bets from `least` to `most`, "" if accepted."""
    if not 1 <= seat <= seats:
        return "no_such_seat"
    if bet < least:
        return "below_min"
    return "above_max" if bet > most else ""


def doubles(bet: Decimal) -> Between:
    """Return the amounts that double a hand of this bet: more than 0, at most the bet, which is the default."""
    return Between(Decimal(0), bet, above=True, or_none=True)


def total(cards: Sequence[Card]) -> tuple[int, bool]:
    """Return the best total of a hand, and whether it is soft (an ace counts 11); over 21 every ace counts 1."""
    return counted(sum(VALUES[card.rank] for card in cards), any(card.rank == "A" for card in cards))


def counted(hard: int, has_ace: bool) -> tuple[int, bool]:
    """Return the best total of a hand that makes `hard` with every ace as 1, and whether it is soft."""
    return (hard + 10, True) if has_ace and hard + 10 <= MOST else (hard, False)


def is_blackjack(cards: Sequence[Card]) -> bool:
    """Return whether these are an ace and a ten as the first two cards of a hand that was not split."""
    return len(cards) == 2 and total(cards)[0] == MOST


def is_pair(cards: Sequence[Card], by: str) -> bool:
    """Return whether these are two cards that can be split, by rank or by value."""
    counts = {VALUES[card.rank] if by == "value" else card.rank for card in cards}
    return len(cards) == 2 and len(counts) == 1
