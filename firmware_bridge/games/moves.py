"""The moves of a round: cards that leave the shoe, marks of seats, and the shoe's own answers."""

import re
from typing import Final

from msgspec import Struct

from firmware_bridge.facts.cards import Card

LOT: Final = "lot"
"""The word of a draw made outside: it has no seat, its value is the seat it fell on."""


class Dealt(Struct, frozen=True, tag=True):
    """A card left the shoe for the slot that was due; `card` is None while it lies face down."""

    card: Card | None


class Mark(Struct, frozen=True, tag=True):
    """A seat's move: `value` is a text that the game reads, None where the seat gave none.

    seat: its number as text; "" where the game itself knows the seat, and for the lot.
    """

    seat: str
    word: str
    value: str | None = None


class Answered(Struct, frozen=True, tag=True):
    """The shoe's answer to a question about cards lying face down."""

    answer: str


Move = Dealt | Mark | Answered

_MARK: Final = re.compile(r"(?:(?P<seat>[1-9][0-9]?):)?(?P<word>[A-Za-z][A-Za-z_]{0,15})(?:=(?P<value>[ -~]{1,32}))?")


def mark_of(text: str) -> Mark | None:
    """Return the mark written as `S`, `DD=40`, `3:raise=6` or `lot=3`, None for any other text."""
    found = _MARK.fullmatch(text)
    return Mark(found["seat"] or "", found["word"], found["value"]) if found else None
