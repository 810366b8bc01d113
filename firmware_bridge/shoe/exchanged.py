"""The cards of a shoe, once those of a round turn out to have been others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from firmware_bridge.facts.cards import Card


def exchanged(seen: Iterable[Card], before: Iterable[Card], after: Iterable[Card]) -> tuple[Card, ...]:
    """The cards seen, once those of a round were others: each takes the place of one that it was taken for."""
    was, now = Counter(before), Counter(after)
    gone, come = list((was - now).elements()), list((now - was).elements())
    cards = list(seen)
    for face in gone:
        at = next((n for n in reversed(range(len(cards))) if cards[n] is face), len(cards))
        cards[at : at + 1] = [come.pop(0)] if come else []
    return (*cards, *come)
