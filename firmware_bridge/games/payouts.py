"""What a game pays, in words: for the page of all bets and payments."""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

ABOVE: Final = "as above"
"""What a bet returns, behind its first row."""


class Payment(Struct, frozen=True):
    """A way in which a bet or a hand is paid.

    id: of the bet or kind of hand. when, pays: in words. returns: to the player. names: in English, traditional and
    simplified Chinese; None where the guests' texts name it. setting: the setting under which it holds, in words.
    """

    id: str
    when: str
    pays: str
    returns: str
    names: tuple[str, str, str] | None = None
    setting: str = ""


class Payouts(Struct, frozen=True):
    """The payments of a game. fixed: words that people look for, each with what holds; remarks: the text above."""

    remarks: str = ""
    fixed: tuple[tuple[str, str], ...] = ()
    payments: tuple[Payment, ...] = ()


def returned_once(payments: Iterable[Payment]) -> tuple[Payment, ...]:
    """Return the payments, with `returns` in the first of them alone."""
    first, *others = payments
    return (first, *(Payment(each.id, each.when, each.pays, ABOVE, each.names, each.setting) for each in others))
