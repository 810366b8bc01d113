"""Whether a multiple may be bid or bet at niu-niu and er ba gang, and the most that a seat can come to owe."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Final

from firmware_bridge.client.limits import Refusal
from firmware_bridge.client.money import EXACT, MoneyError, check_amount

SEATS: Final = ("1", "2", "3", "4")
"""The seats of both games."""

PART: Final = 3
"""At er ba gang a player bets at most this part of the banker's multiple."""


def multiple_refused(multiple: int, offered: Collection[int]) -> Refusal | None:
    """Why a multiple may not be bid or bet, None if it may.

    offered: the settings `grab` or `bet` of a table of niu-niu; at er ba gang `range(grab_max + 1)` for a bid, and
    `third(banker's multiple)` for a bet.
    """
    if multiple in offered:
        return None
    if multiple < min(offered):
        return Refusal("minimum", f"{multiple} is less than {min(offered)}")
    if multiple > max(offered):
        return Refusal("maximum", f"{multiple} is more than {max(offered)}")
    return Refusal("step", f"{multiple} is none of {', '.join(map(str, sorted(offered)))}")


def third(banker: int) -> range:
    """What players may bet at er ba gang against a banker with this multiple: from 1 to a third of it, 1 always."""
    return range(1, max(1, banker // PART) + 1)


def most_owed(base: Decimal, multiple: int, highest: int, banker: int = 1) -> Decimal:
    """The most that a player with this multiple can lose, or win, against the banker in one round.

    highest: the highest of the table's `hand_multiples`. banker: at niu-niu the banker's multiple; at er ba gang it is
    no factor. The banker's most is the sum over the players. Raises MoneyError for a base that is no amount, or a
    multiple below 1.
    """
    check_amount(base, "the base")
    if min(multiple, highest, banker) < 1:
        raise MoneyError("a multiple is less than 1", "give the multiples that were bet, and 1 where nobody grabbed")
    return EXACT.multiply(base, Decimal(multiple * highest * banker))


def purses_short(money: Mapping[str, Decimal], base: Decimal) -> dict[str, Refusal]:
    """Seat -> why a game of er ba gang does not begin with its purse, as `bets_closed` will answer; {} if it begins.

    Raises MoneyError for a base that is no amount.
    """
    check_amount(base, "the base")
    purses = {seat: money.get(seat, Decimal(0)) for seat in SEATS}
    return {seat: Refusal("purse", f"{has} is less than the base {base}") for seat, has in purses.items() if has < base}
