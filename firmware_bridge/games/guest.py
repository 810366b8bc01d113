"""The part of a game for guests' screens, which pass only their own words, seats, faces and amounts."""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from msgspec import Struct

from firmware_bridge.facts.cards import Card

SEAT: Final = re.compile(r"S([1-9][0-9]?)(?:\.([1-9][0-9]?))?|D")


class Hand(NamedTuple):
    """A hand: its name, its cards (None: face down), their points or kind, and how it ended.

    name: `player`, `banker`, or a seat as messages name it. kind, outcome: ids of words of the screen.
    """

    name: str
    cards: tuple[str | None, ...]
    points: str = ""
    kind: str = ""
    outcome: str = ""


class Result(NamedTuple):
    """A round that is over. outcome: the id of a word, "void" for one that counts for nothing. seat: who won a pot.

    pairs: sides with a pair as their first two cards. shoe: the shoe or pack it was dealt from.
    """

    round: int
    outcome: str
    seat: str = ""
    hands: tuple[Hand, ...] = ()
    natural: bool = False
    pot: str = ""
    pairs: tuple[str, ...] = ()
    shoe: int = 0


def word_id(message: Any, word: str) -> str:
    """Return the id of a game's own `word` in the message of a round."""
    return f"is.{message.game}.{word}"


class Guest(Struct, frozen=True, eq=False, kw_only=True):
    """The fields of a guest's screen that depend on the game. Pure functions."""

    result: Callable[[Any], Result] = lambda message: Result(message.round, word_id(message, message.outcome))
    """The result of a round from the message for guests (floor/page/guest/read.py); by default no hand is shown."""
    sides: tuple[str, ...] = ()
    """Names of its hands besides those of seats."""
    hidden: int = 0
    """Cards of a hand that lie face down unless the round names it in `shown`; 0: all hands are shown."""
    hands: Callable[[Mapping[str, Card | None]], Mapping[str, tuple[Card | None, ...]]] | None = None
    """The hands of a running round by what lies in the slots; None: the topic `table` has them by seat."""
    limits: tuple[tuple[str, str], ...] = ()
    """Limits in its own settings: a lowest and a highest amount, or one amount and ""."""
    bids: tuple[str, ...] = ()
    """Marks by which guests bet before any card is out: while one is asked for, bets are open."""
    seats: Callable[[int], int] = lambda seats: 0
    """The number of its seats, each with its place on a screen. seats: of its own settings, 0 where they have none."""
    has_dealer: bool = False
    """Whether the dealer has a hand."""
    has_pot: bool = False
    """Whether seats play for a pot: it is shown, with the stake and who is in."""


def seat(slot: str) -> tuple[int, int] | None:
    """Return a seat, or a hand of it, as numbers to sort by, the dealer first; None for what is none."""
    found = SEAT.fullmatch(slot)
    return (int(found[1] or 0), int(found[2] or 0)) if found else None


def faces(cards: Iterable[Card | None]) -> tuple[str | None, ...]:
    """Return the faces of cards, None for one that lies face down."""
    return tuple([card.value if card else None for card in cards])
