"""The odds of niu-niu: the chance of each kind of hand from what is left of the pack."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Final

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games.chances import Chance, chances, differences, left_of, table
from firmware_bridge.games.game import OddsBook
from firmware_bridge.games.niuniu.hands import KINDS, WORDS, kind_of
from firmware_bridge.games.niuniu.script import NiuNiu

HAND: Final = 5


def _of(decks: int, seen: Sequence[Card], terms: NiuNiu) -> dict[str, Chance]:
    return chances(left_of(dict.fromkeys(FACES, 1), decks, seen), HAND, KINDS, kind_of)


def _deviation(decks: int, seen: Sequence[Card], terms: NiuNiu) -> dict[str, Fraction]:
    return differences(_of(decks, seen, terms), _of(decks, (), terms))


def _table(decks: int, seen: Sequence[Card], terms: NiuNiu) -> Iterator[str]:
    told, left = _of(decks, seen, terms), len(FACES) - len(seen)
    yield from table(f"{left} cards left: hands of five, by their kind.", told, {kind: WORDS[kind] for kind in KINDS})


BOOK: Final = OddsBook(of=_of, deviation=_deviation, table=_table)
