"""The hands of er ba gang: two tiles, their kind and points, and a player's outcome against the banker."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Final, Literal

from msgspec import Struct

from firmware_bridge.facts.cards import Card
from firmware_bridge.games.banker_round import Outcome
from firmware_bridge.games.prompts import in_words

WHITE: Final = "w"

PIPS: Final = {str(pip): Decimal(pip) for pip in range(1, 10)} | {WHITE: Decimal("0.5")}
"""Rank of a tile -> its points."""

Kind = Literal["white_pair", "pair", "28", "points"]

KINDS: Final[tuple[Kind, ...]] = ("white_pair", "pair", "28", "points")
"""The kinds of hands, in the usual order from high to low."""

WORDS: Final[dict[Kind, str]] = {"white_pair": "whites", "pair": "pair", "28": "2-8", "points": "points"}
"""Kind -> its name at the table."""

Ties = Literal["high-tile", "banker", "push"]
"""Who wins equal hands: the higher single tile, the banker, or neither."""


class Hand(Struct, frozen=True):
    """Two tiles as they count.

    cards: in the order dealt. points: the hand in words. digit: the last digit of the sum as text, white counting 0.5,
    whatever the kind.
    """

    cards: tuple[Card, ...]
    kind: Kind
    points: str
    digit: str


def kind_of(ranks: Iterable[str]) -> Kind:
    """Return the kind of two tiles of these ranks."""
    low, high = sorted(ranks)
    if low == high:
        return "white_pair" if low == WHITE else "pair"
    return "28" if (low, high) == ("2", "8") else "points"


def kind_of_hand(tiles: tuple[Card, ...]) -> Kind:
    """Return the kind of two tiles."""
    return kind_of(tile.rank for tile in tiles)


def digit_of(tiles: tuple[Card, ...]) -> Decimal:
    """Return the last digit of the sum, white counting 0.5: 9.5 is the highest."""
    return sum((PIPS[tile.rank] for tile in tiles), Decimal(0)) % 10


def read(tiles: tuple[Card, ...]) -> Hand:
    """Return the hand that two tiles make, in the order dealt."""
    kind, digit = kind_of_hand(tiles), in_words(digit_of(tiles))
    points = digit if kind == "points" else "-".join(tile.rank for tile in tiles) if kind == "pair" else WORDS[kind]
    return Hand(tiles, kind, points, digit)


def outcome(player: tuple[Card, ...], banker: tuple[Card, ...], order: tuple[Kind, ...], ties: Ties) -> Outcome:
    """Return the outcome of a player's two tiles against the banker's."""
    mine, his = _strength(player, order), _strength(banker, order)
    if mine == his and ties == "high-tile":  # of pairs, 2-8 and whites the tiles are equal too
        mine, his = _highest(player), _highest(banker)
    if mine == his:
        return "lose" if ties == "banker" else "push"
    return "win" if mine > his else "lose"


def _strength(tiles: tuple[Card, ...], order: tuple[Kind, ...]) -> tuple[Decimal, ...]:
    """Return the strength of two tiles: the kind, then the tile of a pair, or the points."""
    kind = kind_of_hand(tiles)
    height = Decimal(-order.index(kind))
    return height, PIPS[tiles[0].rank] if kind == "pair" else digit_of(tiles)


def _highest(tiles: tuple[Card, ...]) -> tuple[Decimal, ...]:
    return (max(PIPS[tile.rank] for tile in tiles),)
