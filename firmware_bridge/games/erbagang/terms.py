"""The settings of an er ba gang table: bids, the order of hands, who wins equal ones, and what each hand pays."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Final, Literal

from msgspec import Meta, field
from msgspec.structs import force_setattr

from firmware_bridge.games.bank import Factor, check_base
from firmware_bridge.games.erbagang.hands import KINDS, Kind, Ties
from firmware_bridge.games.game import Terms

USUAL: Final[dict[Kind, int]] = dict.fromkeys(KINDS, 1)
"""Kind -> multiple, where the house says nothing else."""


class ErBaGang(Terms, frozen=True):
    """`[game]` of an er ba gang table.

    base: the money that all multiples multiply; who has less cannot go on.
    grab_max: the highest bid for the bank.
    order: the kinds of hands from high to low.
    ties: who wins equal hands: the higher single tile (white is the lowest; if that is equal too, nobody), the banker,
    or nobody.
    hand_multiples: what the winning hand pays, by its kind; a kind that is not named pays once.
    banker_per: whether the bank is grabbed in every round, or once a game.
    """

    base: Decimal = Decimal(1)
    grab_max: Annotated[int, Meta(ge=0, le=1_000_000)] = 200
    order: tuple[Kind, ...] = ("white_pair", "pair", "28", "points")
    ties: Ties = "high-tile"
    hand_multiples: dict[Kind, Factor] = field(default_factory=lambda: dict(USUAL))
    banker_per: Literal["round", "game"] = "round"

    def __post_init__(self) -> None:
        check_base(self.base)
        if sorted(self.order) != sorted(KINDS):
            raise ValueError(f"order: name each of {', '.join(KINDS)} once")
        force_setattr(self, "hand_multiples", USUAL | self.hand_multiples)
