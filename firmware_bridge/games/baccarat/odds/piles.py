"""What a shoe still holds: how many cards of each of the 52 faces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.cards import FACES, Card

ROUND = 6
"""A round may take so many cards; odds are counted over all ordered deals of six."""

DECKS = range(1, 13)
"""Packs that a shoe may hold (rule book section 1)."""

Piles = Mapping[Card, int]
"""Face -> cards of it; a face that is left out has none."""


class OddsError(BridgeError, ValueError):
    """Cards that no shoe can hold, or too few for a round."""


def full(decks: int) -> dict[Card, int]:
    """A full shoe of `decks` packs. Raises OddsError for a number no shoe takes."""
    if decks not in DECKS:
        raise OddsError(f"{decks} decks make no shoe", f"say how many packs it holds: {DECKS[0]} to {DECKS[-1]}")
    return dict.fromkeys(FACES, decks)


def remaining(decks: int, seen: Iterable[Card]) -> dict[Card, int]:
    """A shoe of `decks` packs without the cards `seen`.

    Raises OddsError that names each card seen more often than the packs hold it.
    """
    piles, gone = full(decks), Counter(seen)
    wrong = [f"{card.value} {times} times" for card, times in gone.items() if times > piles.get(card, 0)]
    if wrong:
        raise OddsError(f"{decks} x 52 cards do not hold {', '.join(wrong)}", "check the cards seen, or say more decks")
    return {card: held - gone[card] for card, held in piles.items()}


def checked(piles: Piles) -> int:
    """The number of cards. Raises OddsError where no round can be dealt of them."""
    wrong = [card.value for card, held in piles.items() if card not in _FACES or held < 0]
    if wrong:
        raise OddsError(f"no shoe holds these: {', '.join(wrong)}", "count 0 or more of each of the 52 faces")
    size = sum(piles.values())
    if size < ROUND:
        raise OddsError(f"{size} cards are left, a round may take {ROUND}", f"odds need {ROUND} cards or more")
    return size


_FACES = frozenset(FACES)
