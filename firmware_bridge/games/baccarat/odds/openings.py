"""How many ordered deals begin with the first cards that a bet looks at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import product
from math import perm
from typing import NamedTuple

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games.baccarat.bets import TigerPairTop
from firmware_bridge.games.baccarat.bets.conditions import Two
from firmware_bridge.games.baccarat.odds.piles import Piles


def deals_by_two(piles: Piles) -> Counter[Two]:
    """The first two cards of a side, whichever -> ordered deals of two."""
    deals = Counter[Two]()
    for first, second in product(FACES, FACES):
        deals[first, second] = piles.get(first, 0) * (piles.get(second, 0) - (first is second))
    return deals


def deals_by_tier(piles: Piles, tiger_pair_top: TigerPairTop) -> dict[str, tuple[int, ...]]:
    """Ordered deals of four that win each tier, in the row's order, of the bets on both sides' first two cards.

    These look at nothing but pairs, which inclusion and exclusion count.
    """
    pair = _alike(_heaps(piles, lambda card: card.rank))
    perfect = _alike(_heaps(piles, lambda card: card.value))
    top = (perfect if tiger_pair_top == "identical" else pair).four
    return {
        "either_pair": (2 * pair.one - pair.both,),
        "perfect_pair": (2 * perfect.one - perfect.both,),
        "tiger_pair": (top, pair.both - top, 2 * (pair.one - pair.both)),
    }


class _Alike(NamedTuple):
    """Ordered deals of four: a given side's two alike; both sides' (each in its way); all four alike."""

    one: int
    both: int
    four: int


def _alike(heaps: list[int]) -> _Alike:
    """heaps: how many cards of each kind, cards of one kind being alike."""
    twos, four = [perm(held, 2) for held in heaps], sum(perm(held, 4) for held in heaps)
    differently = sum(twos) ** 2 - sum(ways * ways for ways in twos)
    return _Alike(sum(twos) * perm(sum(heaps) - 2, 2), differently + four, four)


def _heaps(piles: Piles, kind: Callable[[Card], str]) -> list[int]:
    heaps = Counter[str]()
    for card, held in piles.items():
        heaps[kind(card)] += held
    return list(heaps.values())
