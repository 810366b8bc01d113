"""How many ordered six-card deals end in each pair of finished hands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Final

from firmware_bridge.games.baccarat.bets.conditions import Hands
from firmware_bridge.games.baccarat.bets.judging import FOURS

_PAIRS: Final = tuple((a, b, 1 if a == b else 2) for a, b in combinations_with_replacement(range(10), 2))
"""Two cards by their points, with the orders they can come in."""


def deals_by_hands(points: list[int]) -> Counter[Hands]:
    """Finished hands -> ordered deals of six cards; the cards a round leaves count in every order they can lie in.

    points: how many cards are worth 0, 1 .. 9.
    """
    size, deals = sum(points), Counter[Hands]()
    for banker, player, ways, left in _fours(points):
        branch = FOURS[player][banker]
        if isinstance(branch, tuple):
            deals[branch] += ways * (size - 4) * (size - 5)
            continue
        for fifth, held in enumerate(left):
            after = branch[fifth]
            if isinstance(after, tuple):
                deals[after] += ways * held * (size - 5)
                continue
            for sixth, others in enumerate(left):
                deals[after[sixth]] += ways * held * (others - (fifth == sixth))  # type: ignore[index]  # a leaf
    return deals


def _fours(points: list[int]) -> Iterator[tuple[int, int, int, list[int]]]:
    """The points of the banker's two and of the player's two, their ordered deals, and what is left."""
    for p1, p2, player_orders in _PAIRS:
        left = points.copy()
        player_ways = player_orders * _take(left, p1) * _take(left, p2)
        if not player_ways:
            continue
        for b1, b2, banker_orders in _PAIRS:
            rest = left.copy()
            ways = player_ways * banker_orders * _take(rest, b1) * _take(rest, b2)
            if ways:
                yield b1 + b2, p1 + p2, ways, rest


def _take(points: list[int], worth: int) -> int:
    """Take a card worth so much; how many there were to choose from."""
    points[worth] -= 1
    return points[worth] + 1
