"""What er ba gang pays."""

from collections.abc import Iterator
from typing import Final

from firmware_bridge.games.erbagang.script import ErBaGang
from firmware_bridge.games.payouts import Payment, Payouts, returned_once

REMARKS: Final = """\
A player plays against the banker, who is a seat: the loser pays the winner, by the winning hand. The house takes
nothing. With `ties = "banker"` equal hands are the banker's, which moves money from players to the banker; how much is
not worked out. `[game] base`, `grab_max`, `order`, `ties` and `hand_multiples` can be set; the table shows their
defaults. How often each hand comes: `shoe odds --game erbagang`."""

KINDS: Final = {
    "white_pair": "two white tiles",
    "pair": "two equal tiles; 9 is the highest",
    "28": "a 2 and an 8",
    "points": "the last digit of the sum, a white tile counting 0.5",
}
"""Kind of hand -> what makes it."""

NAMES: Final = {"points": ("Points", "點子", "点子")}
"""Kinds that guests' screens show by their points."""


def payouts() -> Payouts:
    """Return the payments of a hand by its kind, with the usual multiples."""
    return Payouts(REMARKS, (("`rake`", "there is none, and it cannot be set"),), returned_once(_hands()))


def _hands() -> Iterator[Payment]:
    returns = "100 % of all seats together; the house takes nothing"
    for kind, multiple in ErBaGang().hand_multiples.items():
        when = f"the better hand, banker's or player's: {KINDS[kind]}"
        pays = f"base x player's multiple x {multiple}, as far as the purse goes"
        yield Payment(kind, when, pays, returns, NAMES.get(kind))
