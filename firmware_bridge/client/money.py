"""Money as exact decimals, and the house's rounding."""

from collections.abc import Iterable
from decimal import Context, Decimal, Inexact, InvalidOperation
from typing import Final, Literal

from msgspec import Struct

from firmware_bridge.errors import BridgeError

EXACT: Final = Context(prec=60, traps=[Inexact, InvalidOperation])
"""Arithmetic that raises `decimal.Inexact` before it drops a digit, whatever the context of the caller."""

ZERO: Final = Decimal(0)


class MoneyError(BridgeError, ValueError):
    """A value that is not a valid amount."""


class Rounding(Struct, frozen=True):
    """Rounding of what is won on a bet, in the unit of the stakes; a setting of the house, in no rule book.

    quantum: the smallest amount paid (0.01, 0.5, 5 ..), None for exact. mode: `half-even`, the default
    (ROUND_HALF_EVEN): to the nearest multiple, a half to the even one: 0.125 to 0.12, 0.375 to 0.38; or `down`, in
    favour of the house: 0.129 to 0.12. Raises MoneyError.
    """

    quantum: Decimal | None = None
    mode: Literal["half-even", "down"] = "half-even"

    def __post_init__(self) -> None:
        if self.quantum is not None:
            check_amount(self.quantum, "quantum")


def check_amount(amount: Decimal, what: str) -> None:
    """Raise MoneyError unless `amount` is a Decimal, finite and more than 0."""
    if not isinstance(amount, Decimal):
        raise MoneyError(f"{what} is of type {type(amount).__name__}", "give a decimal.Decimal made from a string")
    if not amount.is_finite() or amount <= 0:
        raise MoneyError(f"{what} is {amount}", "give an amount of more than 0")


def total(amounts: Iterable[Decimal]) -> Decimal:
    """Return the exact sum, 0 for none. Raises decimal.Inexact beyond 60 digits."""
    sum_ = ZERO
    for amount in amounts:
        sum_ = EXACT.add(sum_, amount)
    return sum_


def rounded(amount: Decimal, rounding: Rounding) -> Decimal:
    """Return `amount` (0 or more) as a multiple of the quantum."""
    if rounding.quantum is None:
        return amount
    whole, rest = EXACT.divmod(amount, rounding.quantum)
    twice = EXACT.multiply(rest, Decimal(2))
    is_up = twice > rounding.quantum or (twice == rounding.quantum and EXACT.remainder(whole, Decimal(2)) == 1)
    if rounding.mode == "half-even" and is_up:
        whole = EXACT.add(whole, Decimal(1))
    return EXACT.multiply(whole, rounding.quantum)
