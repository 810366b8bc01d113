"""The settings of a blackjack table: seats, limits of a bet, and where houses differ about pairs."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from msgspec import Meta

from firmware_bridge.games.game import Terms


class Blackjack(Terms, frozen=True):
    """`[game]` of a blackjack table.

    seats: boxes at the table; seat 1 is at the dealer's left.
    min: the least that a bet may be.
    max: the most that a bet may be.
    max_hands: hands that one seat may come to have by splitting.
    split_by: whether a pair is two cards of one rank, or of one value, as a ten and a king.
    split_aces: whether split aces are played as any hand, or get one card each.
    """

    seats: Annotated[int, Meta(ge=1, le=7)] = 7
    min: Decimal = Decimal(10)
    max: Decimal = Decimal(1000)
    max_hands: Annotated[int, Meta(ge=1, le=99)] = 4
    split_by: Literal["rank", "value"] = "rank"
    split_aces: Literal["play", "one-card"] = "play"

    def __post_init__(self) -> None:
        if not 0 < self.min <= self.max:
            raise ValueError(f"min = {self.min}, max = {self.max}: a bet is more than 0, and max is not below min")
