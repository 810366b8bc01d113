"""Playing cards and tiles, and the faces of their packs."""

import re
from collections.abc import Collection
from enum import Enum
from typing import Final
from unicodedata import east_asian_width

from msgspec import Struct

# Baccarat points (rule book section 1): ace 1, pips 2..9, ten and court cards 0.
_POINTS: Final = {"A": 1} | {str(pip): pip for pip in range(1, 10)}


class Card(Enum):
    """One face, written rank then suit: `As`, `Td`, `Kc`; tiles are `1p`..`9p` and `wp`.

    `repr` and `str` give `??`, so that no error text shows a secret card; `card.value` is the face.
    """

    As, Ah, Ad, Ac = "As", "Ah", "Ad", "Ac"
    S2, H2, D2, C2 = "2s", "2h", "2d", "2c"
    S3, H3, D3, C3 = "3s", "3h", "3d", "3c"
    S4, H4, D4, C4 = "4s", "4h", "4d", "4c"
    S5, H5, D5, C5 = "5s", "5h", "5d", "5c"
    S6, H6, D6, C6 = "6s", "6h", "6d", "6c"
    S7, H7, D7, C7 = "7s", "7h", "7d", "7c"
    S8, H8, D8, C8 = "8s", "8h", "8d", "8c"
    S9, H9, D9, C9 = "9s", "9h", "9d", "9c"
    Ts, Th, Td, Tc = "Ts", "Th", "Td", "Tc"
    Js, Jh, Jd, Jc = "Js", "Jh", "Jd", "Jc"
    Qs, Qh, Qd, Qc = "Qs", "Qh", "Qd", "Qc"
    Ks, Kh, Kd, Kc = "Ks", "Kh", "Kd", "Kc"
    P1, P2, P3, P4, P5 = "1p", "2p", "3p", "4p", "5p"
    P6, P7, P8, P9, White = "6p", "7p", "8p", "9p", "wp"

    rank: str
    suit: str
    points: int

    def __init__(self, face: str) -> None:
        self.rank, self.suit = face[0], face[1]
        self.points = _POINTS.get(self.rank, 0)

    def __repr__(self) -> str:
        return "??"

    __str__ = __repr__
    __hash__ = object.__hash__


class Serial(Struct, frozen=True, array_like=True):
    """The serial that identifies one card of the packs; as secret as its face, so `repr` gives `??`."""

    text: str

    def __repr__(self) -> str:
        return "??"


RANKS: Final = "A23456789TJQK"
SUITS: Final = "shdc"
FACES: Final[tuple[Card, ...]] = tuple(Card(rank + suit) for suit in SUITS for rank in RANKS)
"""The 52 faces of a pack in the order of the native code book: suit s, h, d, c times rank A, 2..K."""

TILES: Final[tuple[Card, ...]] = tuple(Card(f"{pip}p") for pip in [*range(1, 10), "w"])


def cards(text: str) -> tuple[Card, ...]:
    """Return the cards of `text`, with or without spaces between them: `cards("As Jc")`, `cards("AsJc")`.

    Raises ValueError with the two letters that are no card.
    """
    packed = "".join(text.split())
    return tuple(Card(packed[i : i + 2]) for i in range(0, len(packed), 2))


HINT: Final = "write a card as rank and suit: As, Td"
"""What to do about a word that is not a card."""

TILE_HINT: Final = "write a tile as 1p to 9p, or wp"


def hint(pack: Collection[Card]) -> str:
    """Return what to do about a word that is not a card of this pack."""
    return HINT if Card.As in pack else TILE_HINT


_SIGNS: Final = dict(zip("♠♥♦♣♤♡♢♧", "shdcshdc", strict=True))
"""Signs people write for a suit."""

_WRITTEN: Final = re.compile(r"(10|[A2-9TJQKatjqk])([SHDCshdc♠♥♦♣♤♡♢♧])\ufe0f?|([1-9Ww][Pp])")
"""A card as people write it; U+FE0F makes a sign an emoji. Not by IGNORECASE: it takes U+017F for s, U+212A for k."""

_RUN: Final = re.compile(rf"(?:(?:{_WRITTEN.pattern})[,\s]*)+")


def read_cards(text: str) -> tuple[Card, ...]:
    """Return the cards of `text` as people write them: `Kc`, `kc`, `KC`, `10c`, `K♣`, `Ks,5h`, `AsTd`; else ()."""
    if not _RUN.fullmatch(text):
        return ()
    return tuple(_card(*found.groups()) for found in _WRITTEN.finditer(text))


def read_card(text: str) -> Card | None:
    """Return the one card of `text`, as `read_cards` reads it; None for another text, or several cards."""
    found = read_cards(text)
    return found[0] if len(found) == 1 else None


def look_alikes(text: str) -> str:
    """Return the letters of a text that are none of a card and may look so, `(К=U+041A)`; "" if there are none."""
    others = [each for each in dict.fromkeys(text) if not each.isascii() and each.isalnum()]
    odd = [each for each in others if east_asian_width(each) != "W"]
    return f"({','.join(f'{each}=U+{ord(each):04X}' for each in odd)})" if odd and len(text) in (2, 3) else ""


def _card(rank: str | None, suit: str | None, tile: str | None) -> Card:
    if tile or not (rank and suit):
        return Card(str(tile).lower())
    return Card(("T" if rank == "10" else rank.upper()) + _SIGNS.get(suit, suit.lower()))


def spell(hand: tuple[Card, ...]) -> str:
    """Return the faces of cards without spaces, the inverse of `cards`. Only for cards that are disclosed."""
    return "".join(card.value for card in hand)
