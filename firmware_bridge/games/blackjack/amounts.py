"""Nets in units of a bet, as exact texts."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from firmware_bridge.games.asks import in_words


def units(net: Decimal, bet: Decimal) -> str:
    """A net in units of its bet: a decimal where one is exact, else a fraction `p/q` in lowest terms."""
    exact = Fraction(net) / Fraction(bet)
    twos, fives = _power(exact.denominator, 2), _power(exact.denominator, 5)
    if exact.denominator != 2**twos * 5**fives:
        return str(exact)
    places = max(twos, fives)
    digits = exact.numerator * 10**places // exact.denominator
    return in_words(Decimal((digits < 0, tuple(map(int, str(abs(digits)))), -places)))


def _power(n: int, prime: int) -> int:
    """How often the prime divides `n`."""
    return next(power for power in range(n.bit_length() + 1) if n % prime ** (power + 1))
