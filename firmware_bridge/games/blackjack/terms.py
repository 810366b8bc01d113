"""The settings of a blackjack table: seats, limits of a bet, and where houses differ about pairs."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from msgspec import Meta

from firmware_bridge.games.asks import check_settings
from firmware_bridge.games.game import Terms


class Blackjack(Terms, frozen=True):
    """`[game]` of a blackjack table.

    seats: how many seats the table has; seat 1 is at the dealer's left.
    min: the least that a bet may be.
    max: the most that a bet may be.
    max_hands: the most hands that a seat may come to have by splitting.
    split_by: what makes two cards a pair: the same rank, or the same value, as a ten and a king have.
    split_aces: whether split aces are played as any other hand, or get one card each and stand.
    """

    seats: Annotated[int, Meta(ge=1, le=7)] = 7
    min: Decimal = Decimal(10)
    max: Decimal = Decimal(1000)
    max_hands: Annotated[int, Meta(ge=1, le=99)] = 4
    split_by: Literal["rank", "value"] = "rank"
    split_aces: Literal["play", "one-card"] = "play"

    def __post_init__(self) -> None:
        check_settings(min=self.min, max=self.max)
        if not self.min > 0:
            raise ValueError(f"min = {self.min}: a bet is more than 0")
        if self.max < self.min:
            raise ValueError(f"max = {self.max}: it is at least min, {self.min}")
