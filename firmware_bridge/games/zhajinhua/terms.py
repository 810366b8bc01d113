"""The settings of a table of zha jin hua: its stakes, how long a round may last, and what the house takes."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Final, Literal

from msgspec import Meta, field

from firmware_bridge.games.asks import check_settings
from firmware_bridge.games.game import Terms

Bonus = dict[Literal["leopard", "straight_flush"], Decimal]
"""Kind of hand -> what every other seat pays for it."""

USUAL_BONUS: Final[Bonus] = {"leopard": Decimal(10), "straight_flush": Decimal(5)}


class ZhaJinHua(Terms, frozen=True):
    """`[game]` of a table of zha jin hua; amounts are exact decimals, in the money of the purses.

    ante: what every seat puts in before the cards, and the first stake.
    step: what a seat that has not looked raises by at least, and in whole steps of.
    top: the highest stake of a seat that has not looked; of one that has, it is double.
    rounds: how many betting rounds there are before hands are compared by force.
    rake: the part of the winner's profit that the house takes, 0 to less than 1.
    bonus: kind of hand -> what every other seat pays for it.
    show: which hands guests' screens name: those that were shown down and won or earn a bonus, or all.
    """

    ante: Decimal = Decimal(1)
    step: Decimal = Decimal(1)
    top: Decimal = Decimal(10)
    rounds: Annotated[int, Meta(ge=1, le=100)] = 20
    rake: Decimal = Decimal(0)
    bonus: Bonus = field(default_factory=USUAL_BONUS.copy)
    show: Literal["winner", "all"] = "winner"

    def __post_init__(self) -> None:
        check_settings(ante=self.ante, step=self.step, top=self.top, rake=self.rake)
        check_settings(**{f"bonus.{kind}": each for kind, each in self.bonus.items()})
        if not self.ante > 0:
            raise ValueError(f"ante = {self.ante}: it is more than 0")
        if not self.step > 0:
            raise ValueError(f"step = {self.step}: it is more than 0")
        if not self.top >= self.ante:
            raise ValueError(f"top = {self.top}: it is at least the ante, {self.ante}")
        if not 0 <= self.rake < 1:
            raise ValueError(f"rake = {self.rake}: it is a part of the profit, 0 to less than 1")
        if not all(each >= 0 for each in self.bonus.values()):
            raise ValueError("bonus: what is paid for a hand is 0 or more")
