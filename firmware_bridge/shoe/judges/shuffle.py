"""Does a shoe look shuffled? Patterns that a shuffled one shows less than once in ten thousand shoes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from firmware_bridge.facts.cards import RANKS


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

# Of forty tiles (100,000 simulated games).
REPEAT_OF_TILES: Final = (6, 7)

TILE: Final = "p"
"""The suit of every tile: a run of it says nothing."""

PIPS: Final = RANKS + "w"
"""Ranks in their order, of cards and of tiles."""

_PIP: Final = {rank: place for place, rank in enumerate(PIPS)} | {"1": 0}
_CARD: Final = 2
"""Letters of a card; none is both a rank's and a suit's, so that no text of cards is found between two cards."""


def patterns(played: str, new: int) -> list[Pattern]:
    """The patterns that end within the `new` newest of the cards `played` (two letters each), each once, the longest.

    No earlier pattern is looked for again: the time it takes hardly grows with the shoe.
    """
    found: dict[str, Pattern] = {}
    for end in range(len(played) - _CARD * (new - 1), len(played) + 1, _CARD):
        for pattern in _ending(played, end):
            if pattern.name not in found or pattern.length > found[pattern.name].length:
                found[pattern.name] = pattern
    return list(found.values())


def _ending(played: str, end: int) -> Iterator[Pattern]:
    ranks, suits = played[:end:_CARD], played[1:end:_CARD]
    are_tiles = suits.endswith(TILE)
    repeat = REPEAT_OF_TILES if are_tiles else REPEAT
    runs: dict[str, tuple[int, tuple[int, int]]] = {
        "same suit": (0 if are_tiles else _same(suits), SAME_SUIT),
        "same rank": (_same(ranks), SAME_RANK),
        "ascending": (_stairs(ranks, 1), STAIRS),
        "descending": (_stairs(ranks, -1), STAIRS),
        "repeat": (_repeat(played, end, repeat), repeat),
    }
    for name, (length, (warn, alarm)) in runs.items():
        if length >= warn:
            yield Pattern(name, length, length >= alarm)


def _same(letters: str) -> int:
    """How many of the newest are the same."""
    return len(letters) - len(letters.rstrip(letters[-1:])) if letters else 0


def _stairs(ranks: str, step: int) -> int:
    """How many of the newest follow one another, each `step` above the one before."""
    at = len(ranks) - 1
    while at > 0 and _PIP[ranks[at]] - _PIP[ranks[at - 1]] == step:
        at -= 1
    return len(ranks) - max(at, 0)


def _repeat(played: str, end: int, lengths: tuple[int, int]) -> int:
    """How many of the newest cards came in the same order once before (at most the alarm's length)."""
    for cards in range(max(lengths), min(lengths) - 1, -1):
        length = _CARD * cards
        if end >= 2 * length and played.find(played[end - length : end], 0, end - length) >= 0:
            return cards
    return 0
