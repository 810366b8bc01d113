"""The odds of er ba gang: the chance of each kind of hand from the tiles that are left."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from firmware_bridge.facts.cards import TILES, Card
from firmware_bridge.games.chances import Chance, chances, differences, left_of, table
from firmware_bridge.games.erbagang.hands import KINDS, WORDS, kind_of
from firmware_bridge.games.erbagang.script import ErBaGang
from firmware_bridge.games.game import OddsBook

HAND: Final = 2
PACK: Final = dict.fromkeys(TILES, 4)


def _of(decks: int, seen: Sequence[Card], terms: ErBaGang) -> dict[str, Chance]:
    return chances(left_of(PACK, decks, seen), HAND, terms.order, kind_of)


def _deviation(decks: int, seen: Sequence[Card], terms: ErBaGang) -> dict[str, Fraction]:
    return differences(_of(decks, seen, terms), _of(decks, (), terms))


def _table(decks: int, seen: Sequence[Card], terms: ErBaGang) -> Iterator[str]:
    told, left = _of(decks, seen, terms), sum(PACK.values()) - len(seen)
    yield from table(f"{left} tiles left: hands of two, by their kind.", told, {kind: WORDS[kind] for kind in KINDS})


BOOK: Final = OddsBook(of=_of, deviation=_deviation, table=_table)
