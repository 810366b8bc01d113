"""Does a shoe look shuffled? Patterns that a shuffled one shows less than once in ten thousand shoes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from firmware_bridge.facts.cards import RANKS, Card


class Pattern(NamedTuple):
    """A pattern that ends at the last of the cards looked at: `length` cards long."""

    name: str
    length: int
    is_alarm: bool


# Lengths from irregularities.md, with their false alarms per eight-deck shoe (60,000 simulated shoes).
SAME_SUIT: Final = (10, 12)
SAME_RANK: Final = (6, 7)
STAIRS: Final = (6, 7)
REPEAT: Final = (4, 5)


PIPS: Final = RANKS + "w"
"""Ranks in their order, of cards and of tiles."""


def patterns(cards: tuple[Card, ...], new: int) -> list[Pattern]:
    """The patterns that end within the `new` newest of `cards` (in the order drawn), each once, the longest."""
    found: dict[str, Pattern] = {}
    for end in range(len(cards) - new + 1, len(cards) + 1):
        for pattern in _ending(cards[:end]):
            if pattern.name not in found or pattern.length > found[pattern.name].length:
                found[pattern.name] = pattern
    return list(found.values())


def _ending(cards: tuple[Card, ...]) -> Iterator[Pattern]:
    runs: dict[str, tuple[int, tuple[int, int]]] = {
        "same suit": (_run(cards, lambda a, b: a.suit == b.suit), SAME_SUIT),
        "same rank": (_run(cards, lambda a, b: a.rank == b.rank), SAME_RANK),
        "ascending": (_run(cards, lambda a, b: _step(a, b) == 1), STAIRS),
        "descending": (_run(cards, lambda a, b: _step(a, b) == -1), STAIRS),
        "repeat": (_repeat(cards), REPEAT),
    }
    for name, (length, (warn, alarm)) in runs.items():
        if length >= warn:
            yield Pattern(name, length, length >= alarm)


def _run(cards: tuple[Card, ...], follows: Callable[[Card, Card], bool]) -> int:
    """How many of the newest cards follow one another."""
    length = min(len(cards), 1)
    while length < len(cards) and follows(cards[-length - 1], cards[-length]):
        length += 1
    return length


def _step(before: Card, after: Card) -> int:
    return PIPS.index(after.rank) - PIPS.index(before.rank)


def _repeat(cards: tuple[Card, ...]) -> int:
    """How many of the newest cards came in the same order once before (at most the alarm's length)."""
    for length in range(max(REPEAT), min(REPEAT) - 1, -1):
        tail = cards[-length:]
        if len(tail) == length and any(cards[i : i + length] == tail for i in range(len(cards) - 2 * length + 1)):
            return length
    return 0
