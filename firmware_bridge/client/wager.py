"""A bet that a person placed on a round and the backend accepted."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Final

from msgspec import Struct

from firmware_bridge.client.money import check_amount, total

SIDES: Final[dict[str, tuple[str, ...]]] = {"player": ("player",), "banker": ("banker", "banker_no_commission")}
"""The bets that stake on a side."""


class Wager(Struct, frozen=True):
    """`person` staked `stake` (the table's currency, more than 0) on the bet `bet` (an id of the rule book).

    A list of wagers is in the order they were accepted; what was cancelled is not in it. Raises MoneyError for a
    stake that is no exact amount of more than 0.
    """

    person: str
    bet: str
    stake: Decimal

    def __post_init__(self) -> None:
        check_amount(self.stake, f"the stake of {self.person} on {self.bet}")


def staked(wagers: Iterable[Wager], counts: Callable[[Wager], bool]) -> Decimal:
    """The sum of the stakes that count."""
    return total(wager.stake for wager in wagers if counts(wager))
