"""What niu-niu pays."""

from collections.abc import Iterator
from typing import Final

from firmware_bridge.games.niuniu.hands import SMALLEST_SUM
from firmware_bridge.games.niuniu.script import NiuNiu
from firmware_bridge.games.payouts import Payment, Payouts, returned_once

REMARKS: Final = """\
A player plays against the banker, who is a seat: the loser pays the winner, by the winning hand. The house takes
nothing. `[game] base`, `grab`, `bet` and `hand_multiples` can be set; the table shows their defaults. How often each
hand comes: `shoe odds --game niuniu`."""

KINDS: Final = {
    "five_small": f"every card is below 5, and all add up to {SMALLEST_SUM} at most",
    "bomb": "four cards of one rank",
    "five_face": "five of J, Q, K",
    "four_face": "four of J, Q, K, and a ten",
    "bull_bull": "three cards add up to a multiple of 10, and so do the other two",
    "no_bull": "no three cards add up to a multiple of 10",
}
"""Kind of hand -> what makes it; the others are named by the last digit of two cards."""


def payouts() -> Payouts:
    """Return the payments of a hand by its kind, with the usual multiples."""
    return Payouts(REMARKS, (("`rake`", "there is none, and it cannot be set"),), returned_once(_hands()))


def _hands() -> Iterator[Payment]:
    returns = "100 %: both sides have the same chances, and no two hands are equal"
    for kind, multiple in NiuNiu().hand_multiples.items():
        bull = f"three cards add up to a multiple of 10, and the other two to one ending in {kind[-1]}"
        when = f"the better hand, banker's or player's: {KINDS.get(kind, bull)}"
        yield Payment(kind, when, f"base x banker's multiple x player's multiple x {multiple}", returns)
