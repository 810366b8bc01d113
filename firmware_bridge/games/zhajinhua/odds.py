"""The odds of zha jin hua: the chance of each kind of hand from what is left of the pack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Final

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games.chances import Chance, HandOddsError, differences, left_of, table
from firmware_bridge.games.game import OddsBook
from firmware_bridge.games.zhajinhua.hands import KINDS, Kind, kind
from firmware_bridge.games.zhajinhua.seats import ZhaJinHua

HIGH_TO_LOW: Final[tuple[Kind, ...]] = (*reversed(KINDS), "special_235")
"""The kinds in the order in which they are told; the special is told apart from the other high cards."""

HAND: Final = 3
"""Cards of a hand."""

WORDS: Final[dict[Kind, str]] = {
    "leopard": "leopard",
    "straight_flush": "straight flush",
    "flush": "flush",
    "straight": "straight",
    "pair": "pair",
    "high_card": "high card",
    "special_235": "2 3 5 mixed",
}


def odds(decks: int, seen: Sequence[Card]) -> dict[str, Chance]:
    """Kind -> how likely the next hand is of it, when `seen` have left the one pack. Raises HandOddsError."""
    left = list(left_of(dict.fromkeys(FACES, 1), decks, seen).elements())
    if len(left) < HAND:
        raise HandOddsError(f"{len(left)} cards are left, a hand takes {HAND}", f"odds need {HAND} cards or more")
    found = Counter(map(kind, combinations(left, HAND)))
    return {each: Chance(found[each], comb(len(left), HAND)) for each in HIGH_TO_LOW}


def _of(decks: int, seen: Sequence[Card], terms: ZhaJinHua) -> dict[str, Chance]:
    return odds(decks, seen)


def _deviation(decks: int, seen: Sequence[Card], terms: ZhaJinHua) -> dict[str, Fraction]:
    return differences(odds(decks, seen), odds(decks, ()))


def _table(decks: int, seen: Sequence[Card], terms: ZhaJinHua) -> Iterator[str]:
    left = len(FACES) - len(seen)
    words = {str(each): said for each, said in WORDS.items()}
    yield from table(f"{left} cards left: hands of three, by their kind.", odds(decks, seen), words)


BOOK: Final = OddsBook(of=_of, deviation=_deviation, table=_table)
