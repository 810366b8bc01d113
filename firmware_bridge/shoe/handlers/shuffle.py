"""Finds patterns that a shuffled shoe shows less than once in ten thousand shoes."""

from collections.abc import Callable, Iterator
from operator import eq
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
"""The suit of every tile: a run of it is no pattern."""

PIPS: Final = RANKS + "w"
"""Ranks in their order, of cards and of tiles."""

_UP: Final = f"{PIPS} 1{PIPS[1:9]}"
_STAIRS: Final = f"{_UP} {_UP[::-1]}"
"""All stairs there are: a tile of one pip is written 1, not A."""

_SHORTEST: Final = min(SAME_SUIT[0], SAME_RANK[0], STAIRS[0])
"""Cards of the shortest run that is a pattern."""

_PIP: Final = {rank: place for place, rank in enumerate(PIPS)} | {"1": 0}
_CARD: Final = 2
"""Letters of a card; ranks and suits share none, so no text of cards is found across two cards."""


def patterns(played: str, new: int) -> list[Pattern]:
    """Return patterns, each once, the longest, that end in the `new` newest of the cards `played` (2 letters each)."""
    found: dict[str, Pattern] = {}
    for end in range(len(played) - _CARD * (new - 1), len(played) + 1, _CARD):
        for pattern in _ending(played, end):
            if pattern.name not in found or pattern.length > found[pattern.name].length:
                found[pattern.name] = pattern
    return list(found.values())


def _ending(played: str, end: int) -> Iterator[Pattern]:
    if end < _CARD:
        return
    rank, suit = end - _CARD, end - 1
    are_tiles = played[suit] == TILE
    repeat = REPEAT_OF_TILES if are_tiles else REPEAT
    again = _repeat(played, end, repeat)
    if not again and not _ends_a_run(played[max(end - _CARD * _SHORTEST, 0) : end]):
        return
    runs: dict[str, tuple[int, tuple[int, int]]] = {
        "same suit": (0 if are_tiles else _run(played, suit, eq), SAME_SUIT),
        "same rank": (_run(played, rank, eq), SAME_RANK),
        "ascending": (_run(played, rank, _is_above), STAIRS),
        "descending": (_run(played, rank, _is_below), STAIRS),
        "repeat": (again, repeat),
    }
    for name, (length, (warn, alarm)) in runs.items():
        if length >= warn:
            yield Pattern(name, length, length >= alarm)


def _ends_a_run(newest: str) -> bool:
    """Return whether these newest cards can be the end of a run at all; a quick check, seldom True."""
    ranks, suits = newest[::_CARD], newest[1::_CARD]
    return len(set(suits)) == 1 or len(set(ranks)) == 1 or ranks in _STAIRS


def _run(played: str, at: int, follows: Callable[[str, str], bool]) -> int:
    """Return how many of the cards up to the one with the letter `at` follow one another."""
    length = 1
    while at >= _CARD and follows(played[at - _CARD], played[at]):
        at, length = at - _CARD, length + 1
    return length


def _is_above(before: str, rank: str) -> bool:
    return _PIP[rank] - _PIP[before] == 1


def _is_below(before: str, rank: str) -> bool:
    return _PIP[before] - _PIP[rank] == 1


def _repeat(played: str, end: int, lengths: tuple[int, int]) -> int:
    """Return how many of the newest cards came in the same order once before (at most the alarm's length)."""
    found = 0
    for cards in range(lengths[0], lengths[1] + 1):
        length = _CARD * cards
        if end < 2 * length or played.find(played[end - length : end], 0, end - length) < 0:
            break  # no longer one came either
        found = cards
    return found
