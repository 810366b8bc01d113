"""What cards and hands count in blackjack, stated again for the tests without the program's rules."""

from __future__ import annotations

from fractions import Fraction
from typing import Any


def points(rank: str) -> int:
    """An ace as 1."""
    return 1 if rank == "A" else 10 if rank in "TJQK" else int(rank)


def best(cards: list[str]) -> tuple[int, bool]:
    """Total and whether an ace counts 11 in it."""
    low = sum(points(card[0]) for card in cards)
    if low <= 11 and any(card[0] == "A" for card in cards):
        return low + 10, True
    return low, False


def text(value: Fraction) -> str:
    """A decimal where one is exact, else p/q."""
    for places in range(80):
        if (value * 10**places).denominator == 1:
            digits = f"{abs(value.numerator) * 10**places // value.denominator:0{places + 1}d}"
            whole = digits[: len(digits) - places] + ("." + digits[len(digits) - places :] if places else "")
            return ("-" if value < 0 else "") + whole
    return str(value)


class Hand:
    """A box of the table with cards in it."""

    def __init__(self, seat: int, name: str, bet: Fraction) -> None:
        self.seat, self.name, self.bet = seat, name, bet
        self.cards: list[str] = []
        self.more = Fraction(0)
        self.how = self.outcome = ""
        self.net = Fraction(0)

    def fields(self) -> dict[str, Any]:
        """What the result says of it."""
        total, soft = best(self.cards)
        return {
            "hand": self.name,
            "cards": self.cards,
            "total": total,
            "soft": soft,
            "how": self.how,
            "bet": text(self.bet),
            "double": text(self.more),
            "outcome": self.outcome,
            "units": text(self.net / self.bet),
            "net": text(self.net),
        }


def result(dealer: list[str], lines: list[list[Hand]]) -> dict[str, Any]:
    """What came of the hands, seat by seat."""
    total, soft = best(dealer)
    nets = {line[0].seat: sum((hand.net for hand in line), Fraction(0)) for line in lines}
    return {
        "dealer": {
            "cards": dealer,
            "total": total,
            "soft": soft,
            "blackjack": len(dealer) == 2 and total == 21,
            "bust": total > 21,
        },
        "hands": [hand.fields() for line in lines for hand in line],
        "seats": {
            f"S{line[0].seat}": {"units": text(nets[line[0].seat] / line[0].bet), "net": text(nets[line[0].seat])}
            for line in lines
        },
        "house": text(-sum(nets.values(), Fraction(0))),
    }
