"""Values allowed with a mark, as published: true for none, the amount it costs, choices, limits, seats."""

from collections.abc import Mapping
from typing import Any

from firmware_bridge.games.moves import LOT
from firmware_bridge.games.prompts import Between, Choice, Nothing, Offer, Price, Target, Whole, in_words


def offered(asked: Mapping[str, Mapping[str, Offer]]) -> dict[str, dict[str, Any]]:
    """Return slot -> word -> the values allowed with it."""
    return {slot: {word: of(word, offer) for word, offer in offers.items()} for slot, offers in asked.items()}


def of(word: str, offer: Offer) -> Any:
    """Return the values allowed with a mark: true for none, a text is what it costs; amounts of money are texts."""
    match offer:
        case Nothing():
            return True
        case Choice(values=values):
            return [f"S{seat}" for seat in values] if word == LOT else [int(value) for value in values]
        case Whole(least=least, most=most):
            return {"min": least, "max": most}
        case Between(or_none=True):
            return {"max": in_words(offer.most)}
        case Between():
            step = {"step": in_words(offer.step)} if offer.step is not None else {}
            return {"min": in_words(offer.least), "max": in_words(offer.most), **step}
        case Price(cost=cost):
            return in_words(cost)
        case Target(seats=seats, cost=cost):
            return {"cost": in_words(cost), "with": [f"S{seat}" for seat in seats] or "all"}
