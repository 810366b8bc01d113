"""The conditions of bets on the hands of a finished round."""

from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final, NamedTuple

from firmware_bridge.facts.cards import RANKS, SUITS, Card
from firmware_bridge.games.baccarat.rules import NATURALS


class Hand(NamedTuple):
    """The total (0..9) of a hand and its number of cards (2 or 3)."""

    total: int
    cards: int


Hands = tuple[Hand, Hand]
"""The finished hands, player's first."""

Two = tuple[Card, Card]
"""The first two cards of one side."""

Opening = tuple[Two, Two]
"""The first two cards of both sides, player's first."""

PLAYER, BANKER = 0, 1

Condition = Callable[[Any], bool]
"""A test of `Hands`, `Two` or `Opening`, by the `view` of the bet."""

BLACK, RED, DIAMONDS = "sc", "hd", "d"

SIDES: Final = ("player", "banker")
COLOURS: Final = {BLACK: "black", RED: "red", DIAMONDS: "diamonds"}
NUMBERS: Final = {4: "four", 5: "five", 6: "six", 2: "two", 3: "three"}


def in_words(condition: Condition) -> str:
    """Return a condition in English, for people."""
    return NAMED.get(condition) or condition.__doc__ or ""


def _named(words: str, condition: Condition) -> Condition:
    """Return the condition, with its words as its docstring."""
    condition.__doc__ = words
    return condition


def any_of(*conditions: Condition) -> Condition:
    """Return a test that at least one of these holds."""
    words = ", or ".join(dict.fromkeys(map(in_words, conditions)))
    return _named(words, lambda seen: any(holds(seen) for holds in conditions))


def all_of(first: Condition, *others: Condition) -> Condition:
    """Return a test that all of these hold."""
    if not others:
        return first
    rest = all_of(*others)
    return _named(f"{in_words(first)}, and {in_words(rest)}", lambda seen: first(seen) and rest(seen))


# Of the finished hands


def wins(side: int, total: int | None = None, cards: int | None = None) -> Condition:
    """Return a test that `side` has the higher total, any or just `total`, in any number of cards or just `cards`."""

    def holds(hands: Hands) -> bool:
        hand = hands[side]
        return hand.total > hands[1 - side].total and total in (None, hand.total) and cards in (None, hand.cards)

    points, by = "" if total is None else f" with {total}", "" if cards is None else f" of {NUMBERS[cards]} cards"
    return _named(f"{SIDES[side]} wins{points}{by}", holds)


def wins_by(side: int, margin: int) -> Condition:
    """Return a test that `side` wins by exactly `margin` points."""
    return _named(f"{SIDES[side]} wins by {margin}", lambda hands: hands[side].total - hands[1 - side].total == margin)


def tie(total: int | None = None) -> Condition:
    """Return a test of equal totals: any, or both just `total`."""
    words = "tie" if total is None else f"tie with {total}"
    return _named(words, lambda hands: hands[0].total == hands[1].total and total in (None, hands[0].total))


def natural(side: int) -> Condition:
    """Return a test that `side` has 8 or 9 with two cards."""
    words = f"{SIDES[side]} has a natural"
    return _named(words, lambda hands: hands[side].cards == 2 and hands[side].total in NATURALS)


def took(player: int, banker: int) -> Condition:
    """Return a test that the player took so many cards, the banker so many."""
    words = f"player has {NUMBERS[player]} cards and banker {NUMBERS[banker]}"
    return _named(words, lambda hands: (hands[PLAYER].cards, hands[BANKER].cards) == (player, banker))


def together(cards: int) -> Condition:
    """Return a test that both sides took so many cards, counted together."""
    return _named(f"{NUMBERS[cards]} cards in all", lambda hands: hands[0].cards + hands[1].cards == cards)


def _listed(totals: tuple[int, ...]) -> str:
    *some, last = map(str, totals)
    return f"{', '.join(some)} or {last}" if some else last


def has(side: int, *totals: int, cards: int | None = None) -> Condition:
    """Return a test that `side` has one of `totals`, whichever side wins, in any number of cards or just `cards`."""
    words = f"{SIDES[side]} has {_listed(totals)}{'' if cards is None else f' of {NUMBERS[cards]} cards'}"
    return _named(words, lambda hands: hands[side].total in totals and cards in (None, hands[side].cards))


# Of the first two cards of one side


def pair(two: Two) -> bool:
    """Return whether the two are of one rank; T, J, Q and K are four ranks."""
    return two[0].rank == two[1].rank


def perfect(two: Two) -> bool:
    """Return whether both are the same face."""
    return two[0] is two[1]


def both_are(suits: str = SUITS, ranks: str = RANKS) -> Condition:
    """Return a test that each of the two is of one of `suits` and of one of `ranks`."""
    faces = frozenset(Card(rank + suit) for rank in ranks for suit in suits)
    named = [COLOURS.get(suits, "")] * (suits != SUITS) + [f"of rank {ranks}"] * (ranks != RANKS)
    return _named(f"both cards are {' and '.join(named)}", lambda two: two[0] in faces and two[1] in faces)


NAMED: Final[dict[Condition, str]] = {pair: "a pair", perfect: "the same card twice"}
"""Conditions that are functions of this module -> their words."""


# Of the first two cards of both sides


def both_sides(of_one: Condition) -> Condition:
    """Return a test that it holds for the player's two and for the banker's two."""
    return _named(f"{in_words(of_one)} on both sides", lambda opening: of_one(opening[0]) and of_one(opening[1]))


def either_side(of_one: Condition) -> Condition:
    """Return a test that it holds for the player's two, for the banker's two, or for both."""
    return _named(
        f"{in_words(of_one)} on either side, or both", lambda opening: of_one(opening[0]) or of_one(opening[1])
    )


FACE: Final = attrgetter("value")
RANK: Final = attrgetter("rank")


def four_alike(what: Callable[[Card], object]) -> Condition:
    """Return a test that all four cards have the same `what`: FACE or RANK."""
    words = f"all four first cards have the same {'rank' if what is RANK else 'rank and suit'}"
    return _named(words, lambda opening: len({what(card) for two in opening for card in two}) == 1)
