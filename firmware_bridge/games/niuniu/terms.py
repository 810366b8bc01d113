"""The settings of a niu-niu table: what seats may bid and bet, and what each hand pays."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Final

from msgspec import Meta, field
from msgspec.structs import force_setattr

from firmware_bridge.games.bank import Factor, Multiple, check_base
from firmware_bridge.games.game import Terms
from firmware_bridge.games.niuniu.hands import KINDS, Kind

Bids = Annotated[tuple[Annotated[int, Meta(ge=0, le=1_000)], ...], Meta(min_length=1)]
Bets = Annotated[tuple[Multiple, ...], Meta(min_length=1)]

USUAL: Final[dict[Kind, int]] = dict.fromkeys(KINDS, 1) | {
    "five_small": 8,
    "bomb": 6,
    "five_face": 5,
    "four_face": 4,
    "bull_bull": 3,
    "bull_9": 2,
    "bull_8": 2,
    "bull_7": 2,
}
"""Kind -> multiple, where the house says nothing else."""


class NiuNiu(Terms, frozen=True):
    """`[game]` of a niu-niu table.

    base: the money that all multiples multiply.
    grab: the bids a seat may make for the bank; 0 does not grab.
    bet: the multiples a player may bet.
    hand_multiples: what the winning hand pays, by its kind; a kind that is not named keeps its usual multiple.
    """

    base: Decimal = Decimal(10)
    grab: Bids = (0, 1, 2, 3)
    bet: Bets = (1, 2, 3)
    hand_multiples: dict[Kind, Factor] = field(default_factory=lambda: dict(USUAL))

    def __post_init__(self) -> None:
        check_base(self.base)
        force_setattr(self, "hand_multiples", USUAL | self.hand_multiples)
