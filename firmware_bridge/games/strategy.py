"""The moves of a seat in demonstrations and tests; a game's package has a better strategy."""

from collections.abc import Callable, Mapping, Sequence
from random import Random

from msgspec import Struct

from firmware_bridge.facts.cards import Card
from firmware_bridge.games.layout import Layout
from firmware_bridge.games.moves import LOT
from firmware_bridge.games.prompts import Between, Choice, Offer, Target, Whole


class Asked(Struct, frozen=True):
    """A seat that is asked, with the knowledge of the person in it.

    slot: the seat or its hand, `lot` for the draw of a seat. offers: word -> what may come with it.
    table: the open cards. hand: the faces of the cards that lie on `slot`, as far as this person may look at them.
    """

    slot: str
    offers: Mapping[str, Offer]
    table: Layout
    hand: Sequence[Card] = ()


Strategy = Callable[[Asked, Random], tuple[str, str | None]]
"""A function that gives the word of a seat's mark, and its value or None."""


def first_offered(asked: Asked, rng: Random) -> tuple[str, str | None]:
    """Return the first word that is offered, with its least value; the lot falls anywhere."""
    word, offer = next(iter(asked.offers.items()))
    return word, rng.choice(offer.values) if word == LOT and isinstance(offer, Choice) else least(offer)


def least(offer: Offer) -> str | None:
    """Return the least value that may come with a mark, None for none."""
    match offer:
        case Choice(values=values):
            return values[0]
        case Target(seats=(first, *_)):
            return first
        case Whole(least=least):
            return str(least)
        case Between(or_none=False):
            return str(min(offer.least + (offer.step or 1), offer.most) if offer.above else offer.least)
    return None
