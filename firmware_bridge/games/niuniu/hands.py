"""The hands of niu-niu: kinds from five small down to no bull, and which of two hands wins."""

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from typing import Final, Literal

from msgspec import Struct

from firmware_bridge.facts.cards import RANKS, Card

POINTS: Final = {"A": 1} | {str(pip): pip for pip in range(2, 10)} | dict.fromkeys("TJQK", 10)
"""Rank -> points."""

FACES: Final = "JQK"
SMALL: Final = "A234"

SMALLEST_SUM: Final = 10
"""The most points that five small cards may have together."""

SUITS_UP: Final = "dchs"
"""Suits, low to high."""

Kind = Literal[
    "five_small",
    "bomb",
    "five_face",
    "four_face",
    "bull_bull",
    "bull_9",
    "bull_8",
    "bull_7",
    "bull_6",
    "bull_5",
    "bull_4",
    "bull_3",
    "bull_2",
    "bull_1",
    "no_bull",
]

KINDS: Final[tuple[Kind, ...]] = Kind.__args__  # type: ignore[attr-defined]  # the words of a Literal
"""The kinds of hands, high to low."""

WORDS: Final[dict[Kind, str]] = {
    "five_small": "five-small",
    "bomb": "bomb",
    "five_face": "five-face",
    "four_face": "four-face",
    "bull_bull": "bull-bull",
    "no_bull": "no-bull",
    **{kind: kind.replace("_", " ") for kind in KINDS if kind[-1].isdigit()},
}
"""Kind -> its name at the table; the last word alone is distinct too."""


class Hand(Struct, frozen=True):
    """A hand as it counts: at its best.

    cards: in the order dealt. points: the kind in words. multiple: what a win with it pays.
    three: the first three cards, in the order dealt, that make a multiple of ten; None for the hands above the bulls,
    and for no bull.
    """

    cards: tuple[Card, ...]
    kind: Kind
    points: str
    multiple: int
    three: tuple[Card, ...] | None


def kind_of(ranks: Iterable[str]) -> Kind:
    """Return the kind of five cards of these ranks."""
    hand = list(ranks)
    counts = Counter(hand)
    points = [POINTS[rank] for rank in hand]
    if all(rank in SMALL for rank in hand) and sum(points) <= SMALLEST_SUM:
        return "five_small"
    if 4 in counts.values():
        return "bomb"
    faces = sum(rank in FACES for rank in hand)
    if faces == 5:
        return "five_face"
    if faces == 4 and "T" in counts:
        return "four_face"
    if not any(sum(three) % 10 == 0 for three in combinations(points, 3)):
        return "no_bull"
    return _BULLS[sum(points) % 10]


_BULLS: Final[tuple[Kind, ...]] = ("bull_bull", *reversed(KINDS[KINDS.index("bull_9") : KINDS.index("no_bull")]))
"""The last digit of all five cards -> the bull: the three that make it add nothing to that digit."""


def three_of(cards: tuple[Card, ...]) -> tuple[Card, ...] | None:
    """Return the first three of the cards, in the order dealt, that add up to a multiple of ten."""
    threes = combinations(cards, 3)
    return next((three for three in threes if sum(POINTS[card.rank] for card in three) % 10 == 0), None)


def strength(cards: Iterable[Card]) -> tuple[int, ...]:
    """Return the strength of a hand, against another of the same pack: the higher is better, and no two are equal.

    The kind, then the highest card by rank and by suit; of bombs the rank of the four alone.
    """
    hand = tuple(cards)
    kind = kind_of(card.rank for card in hand)
    height = -KINDS.index(kind)
    if kind == "bomb":
        [four] = [rank for rank, count in Counter(card.rank for card in hand).items() if count == 4]
        return height, RANKS.index(four)
    return height, *max((RANKS.index(card.rank), SUITS_UP.index(card.suit)) for card in hand)


def read(cards: tuple[Card, ...], multiples: dict[Kind, int]) -> Hand:
    """Return the hand that five cards make, in the order dealt."""
    kind = kind_of(card.rank for card in cards)
    is_bull = kind.startswith("bull")
    return Hand(cards, kind, WORDS[kind], multiples[kind], three_of(cards) if is_bull else None)
