"""Hands of zha jin hua: their kinds, the better of two, and the moves of a sensible guest."""

from collections import Counter
from itertools import combinations
from math import comb
from random import Random
from typing import Final, Literal

from firmware_bridge.facts.cards import Card
from firmware_bridge.games.chances import Chance, HandOddsError
from firmware_bridge.games.moves import LOT
from firmware_bridge.games.prompts import Between, Choice, Offer, Target
from firmware_bridge.games.strategy import Asked

Kind = Literal["special_235", "high_card", "pair", "straight", "flush", "straight_flush", "leopard"]
"""The kind of three cards."""

KINDS: Final[tuple[Kind, ...]] = ("high_card", "pair", "straight", "flush", "straight_flush", "leopard")
"""The kinds from low to high; `special_235` ranks as the lowest high card, and beats leopards alone."""

CALLED: Final[dict[Kind, str]] = {
    "leopard": "leopard",
    "straight_flush": "straight flush",
    "flush": "flush",
    "straight": "straight",
    "pair": "pair",
    "high_card": "high card",
    "special_235": "2 3 5 mixed",
}
"""Kind -> its name, from high to low; odds count the special apart from the other high cards."""

HAND: Final = 3
"""Cards of a hand."""

RANKED: Final = "23456789TJQKA"
SUITED: Final = "dchs"

Hand = tuple[Card, ...]
"""Three cards."""

_SPECIAL: Final = (3, 1, 0)
"""The ranks of 5 3 2, as places in RANKED."""

_LOWEST_STRAIGHT: Final = (12, 1, 0)
"""The ranks of A 3 2: in this straight the ace is low."""


def kind(hand: Hand) -> Kind:
    """Return the kind of three cards of one pack."""
    ranks = _ranks(hand)
    is_flush = len({card.suit for card in hand}) == 1
    is_straight = ranks == _LOWEST_STRAIGHT or (ranks[0] - 1, ranks[0] - 2) == ranks[1:]
    if is_flush:
        return "straight_flush" if is_straight else "flush"
    if is_straight:
        return "straight"
    if ranks == _SPECIAL:
        return "special_235"
    return {3: "high_card", 2: "pair", 1: "leopard"}[len(set(ranks))]  # type: ignore[return-value]  # all three kinds


def beats(hand: Hand, other: Hand) -> bool:
    """Return whether a hand is better than another of the same pack; one of both always is.

    This is no order: a special beats every leopard and loses to hands that leopards beat. Never sort by it.
    """
    kinds = kind(hand), kind(other)
    if set(kinds) == {"special_235", "leopard"}:
        return kinds[0] == "special_235"
    return _strength(hand, kinds[0]) > _strength(other, kinds[1])


def chances(left: Counter[Card]) -> dict[str, Chance]:
    """Return kind -> chance of the next hand, from the cards that are left. Raises HandOddsError."""
    cards = left.total()
    if cards < HAND:
        raise HandOddsError(f"{cards} cards are left, a hand takes {HAND}", f"odds need {HAND} cards or more")
    found = Counter(map(kind, combinations(left.elements(), HAND)))
    return {each: Chance(found[each], comb(cards, HAND)) for each in CALLED}


def _ranks(hand: Hand) -> tuple[int, ...]:
    """Return the ranks from high to low, as places in RANKED."""
    return tuple(sorted((RANKED.index(card.rank) for card in hand), reverse=True))


def _strength(hand: Hand, kind: Kind) -> tuple[int, ...]:
    """Return the strength of a hand where no special meets a leopard: kind, ranks, suit."""
    ranks = _ranks(hand)
    place = 0 if kind == "special_235" else KINDS.index(kind)
    if kind == "pair":
        pair = ranks[1]  # of three cards in order the middle one is of the pair
        single = ranks[0] + ranks[2] - pair
        has_spade = any(card.suit == "s" and card.rank == RANKED[pair] for card in hand)
        return place, pair, single, has_spade
    if ranks == _LOWEST_STRAIGHT and kind in ("straight", "straight_flush"):
        ranks = (1, 0, -1)
    return place, *ranks, _suit(hand, ranks[0])


def _suit(hand: Hand, rank: int) -> int:
    """Return the best suit among the cards of a rank, spade highest."""
    return max(SUITED.index(card.suit) for card in hand if card.rank == RANKED[rank])


WORTH: Final = {"leopard": 6, "straight_flush": 6, "flush": 5, "straight": 4, "pair": 3, "special_235": 1}
"""Kind -> worth of a hand to a guest; a high card is worth 1 or 2."""

GOOD_HIGH_CARD: Final = "QKA"


def act(asked: Asked, rng: Random) -> tuple[str, str | None]:
    """Return the mark of a seat: cautious with a bad hand, bold with a good one."""
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
    """Return the worth of the hand that was looked at; an average one if its cards are not known."""
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
