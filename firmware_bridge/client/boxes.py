"""Whether a bet at blackjack may be taken, and what may be put in beside it."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Literal

from firmware_bridge.client.limits import Range, Refusal
from firmware_bridge.client.money import ZERO, check_amount

SEATS = 7
"""How many seats a table of blackjack has at most."""


def bets_refused(bets: Mapping[str, Decimal], table: Range, seats: int = SEATS) -> dict[str, Refusal]:
    """Seat -> why its bet is not taken, as `bets_closed` will answer; {} where all seats take part.

    bets: seat (`"1"`) -> bet. table: from `min` to `max` of its `[game]`. Raises MoneyError for what is no amount.
    """
    refused = {}
    for seat, bet in bets.items():
        check_amount(bet, f"the bet of seat {seat}")
        if seat not in map(str, range(1, seats + 1)):
            refused[seat] = Refusal("not offered", f"the table has the seats 1 to {seats}")
        elif bet < table.low:
            refused[seat] = Refusal("minimum", f"{bet} is less than {table.low}")
        elif bet > table.high:
            refused[seat] = Refusal("maximum", f"{bet} is more than {table.high}")
    return refused


def further_refused(word: Literal["DD", "SP"], amount: Decimal, bet: Decimal) -> Refusal | None:
    """Why `amount` may not be put in to double or to split a hand of this bet, None if it may.

    A double is more than nothing and at most the bet; a split is the bet again. Raises MoneyError.
    """
    check_amount(bet, "the bet")
    if not isinstance(amount, Decimal) or not amount.is_finite() or amount <= ZERO:
        return Refusal("minimum", f"{amount} is nothing: give more than 0")
    if amount > bet:
        return Refusal("maximum", f"{amount} is more than the bet, {bet}")
    return Refusal("minimum", f"a split takes the bet again, {bet}") if word == "SP" and amount < bet else None
