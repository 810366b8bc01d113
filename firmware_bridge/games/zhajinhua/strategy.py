"""What a sensible guest does at zha jin hua, for demonstrations and tests."""

from __future__ import annotations

from random import Random
from typing import Final

from firmware_bridge.games.asks import Between, Choice, Offer, Target
from firmware_bridge.games.moves import LOT
from firmware_bridge.games.strategy import Asked
from firmware_bridge.games.zhajinhua.hands import kind

Said = tuple[str, str | None]

WORTH: Final = {"leopard": 6, "straight_flush": 6, "flush": 5, "straight": 4, "pair": 3, "special_235": 1}
"""Kind -> how well a guest likes a hand; a high card is worth 1 or 2."""

GOOD_HIGH_CARD: Final = "QKA"


def act(asked: Asked, rng: Random) -> Said:
    """The word that a seat says: cautious with a bad hand, bold with a good one, impatient in later rounds."""
    offers = asked.offers
    if LOT in offers:
        return LOT, _one_of(offers[LOT], rng)
    if "look" in offers and rng.random() < 0.4:
        return "look", None
    worth = 3 if "look" in offers else _worth(asked)
    if "call" not in offers:
        return ("compare", None) if worth > 1 else ("fold", None)
    if worth < 2 and rng.random() < 0.7:
        return "fold", None
    if "compare" in offers and rng.random() < 0.35:
        return "compare", _one_of(offers["compare"], rng)
    if "raise" in offers and rng.random() < 0.12 * worth - 0.2:
        return "raise", _least(offers["raise"])
    return "call", None


def _worth(asked: Asked) -> int:
    """How well the guest likes the hand that was looked at; an average one where its cards are not known."""
    hand = tuple(asked.hand)
    if len(hand) != 3:
        return 3
    is_good = any(card.rank in GOOD_HIGH_CARD for card in hand)
    return WORTH.get(kind(hand), 2 if is_good else 1)


def _one_of(offer: Offer, rng: Random) -> str | None:
    match offer:
        case Choice(values=values) | Target(seats=values) if values:
            return rng.choice(values)
    return None


def _least(offer: Offer) -> str | None:
    return str(offer.least) if isinstance(offer, Between) else None
