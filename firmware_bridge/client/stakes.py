"""Whether a stake at zha jin hua may be put in: the table's steps and top, and what the purse has."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Final, Literal

from msgspec import Struct

from firmware_bridge.client.limits import Refusal
from firmware_bridge.client.money import EXACT, ZERO, MoneyError, check_amount

FEWEST, MOST = 3, 5
"""How many seats make a round."""

TWO: Final = Decimal(2)
"""What a seat that has looked puts in for a stake of 1."""


class Stakes(Struct, frozen=True):
    """What a table of zha jin hua stakes: the settings `ante`, `step` and `top` of its `[game]`. Raises MoneyError."""

    ante: Decimal
    step: Decimal
    top: Decimal

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            check_amount(getattr(self, name), name)
        if self.top < self.ante:
            raise MoneyError(f"the top stake {self.top} is less than the ante {self.ante}", "give the higher one last")


class Seated(Struct, frozen=True):
    """A seat as it stands before it marks: what its purse has left, the stake of one that has not looked, and itself.

    round: the betting round, from 1. Raises MoneyError for a purse or a stake that is no amount.
    """

    purse: Decimal
    stake: Decimal
    looked: bool
    round: int

    def __post_init__(self) -> None:
        check_amount(self.stake, "the stake")
        if not isinstance(self.purse, Decimal) or not self.purse.is_finite() or self.purse < 0:
            raise MoneyError(f"the purse is {self.purse}", "give a decimal.Decimal of 0 or more")

    @property
    def cost(self) -> Decimal:
        """What a call, or a comparison, costs."""
        return EXACT.multiply(self.stake, TWO) if self.looked else self.stake


def purses_refused(money: Mapping[str, Decimal], stakes: Stakes) -> dict[str, Refusal]:
    """Seat -> why it takes no part, as `bets_closed` will answer; where there is no round, every seat that told one.

    Raises MoneyError for a purse that is no amount of more than 0.
    """
    for seat, purse in money.items():
        check_amount(purse, f"the purse of seat {seat}")
    poor = {seat: purse for seat, purse in money.items() if purse < stakes.ante}
    refused = {seat: Refusal("minimum", f"{purse} is less than the ante {stakes.ante}") for seat, purse in poor.items()}
    seats = len(money) - len(poor)
    if not FEWEST <= seats <= MOST:
        why = Refusal("round", f"{seats} seats can pay the ante; a round has {FEWEST} to {MOST}")
        return dict.fromkeys(money, why) | refused
    return refused


def stake_refused(
    word: Literal["call", "raise", "compare"], amount: Decimal, seat: Seated, stakes: Stakes
) -> Refusal | None:
    """Why `amount` may not be put in with that word, None if it may; an all-in compare puts in the whole purse."""
    if seat.purse < seat.cost:
        return _all_in_refused(word, amount, seat)
    if word == "compare" and seat.round == 1:
        return Refusal("closed", "hands are compared from round 2 on")
    if word != "raise":
        why = f"{word} costs {seat.cost}"
        return None if amount == seat.cost else Refusal("minimum" if amount < seat.cost else "maximum", why)
    return _raise_refused(amount, seat, stakes)


def _all_in_refused(word: str, amount: Decimal, seat: Seated) -> Refusal | None:
    if word != "compare":
        return Refusal("purse", f"{seat.purse} is less than a call, {seat.cost}: compare with all of it, or fold")
    return None if amount == seat.purse else Refusal("purse", f"an all-in puts in the whole purse, {seat.purse}")


def _raise_refused(amount: Decimal, seat: Seated, stakes: Stakes) -> Refusal | None:
    looked = TWO if seat.looked else Decimal(1)
    if seat.stake >= stakes.top:
        return Refusal("maximum", f"the stake is at the top, {stakes.top}")
    beyond = EXACT.subtract(EXACT.divide(amount, looked), seat.stake)
    if beyond <= 0:
        return Refusal("minimum", f"{amount} is no more than a call, {seat.cost}")
    if EXACT.remainder(beyond, stakes.step) != ZERO:
        return Refusal("step", f"{amount} is no whole number of steps of {EXACT.multiply(stakes.step, looked)} more")
    if EXACT.add(seat.stake, beyond) > stakes.top:
        return Refusal("maximum", f"{amount} is more than {EXACT.multiply(stakes.top, looked)}")
    return Refusal("purse", f"the purse has {seat.purse}") if amount > seat.purse else None
