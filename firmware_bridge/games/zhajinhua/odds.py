"""How likely each kind of hand is, dealt from what is left of the pack."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Final

from msgspec import Struct

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games.game import OddsBook
from firmware_bridge.games.zhajinhua.hands import KINDS, Kind, kind
from firmware_bridge.games.zhajinhua.terms import ZhaJinHua

HIGH_TO_LOW: Final[tuple[Kind, ...]] = (*reversed(KINDS), "special_235")
"""The kinds in the order in which they are told; the special is told apart from the other high cards."""

HAND: Final = 3
"""Cards of a hand."""


class OddsError(BridgeError, ValueError):
    """Cards that no pack holds, or of which too few are left for a hand."""


class Chance(Struct, frozen=True):
    """`num` of `den` equally likely hands of three cards."""

    num: int
    den: int


def odds(decks: int, seen: Sequence[Card]) -> dict[Kind, Chance]:
    """Kind -> how likely the next hand is of it, when `seen` have left the one pack. Raises OddsError."""
    left = _left(decks, seen)
    found = Counter(map(kind, combinations(left, HAND)))
    return {each: Chance(found[each], comb(len(left), HAND)) for each in HIGH_TO_LOW}


def _left(decks: int, seen: Sequence[Card]) -> list[Card]:
    """The cards that have not left the pack. Raises OddsError."""
    if decks != 1:
        raise OddsError(f"{decks} packs", "zha jin hua is dealt from one: --decks 1")
    wrong = [card for card, count in Counter(seen).items() if count > 1 or card not in FACES]
    if wrong:
        names = " ".join(card.value for card in wrong)
        raise OddsError(f"no pack holds these: {names}", "look at the cards again: each face is once in a pack")
    left = [card for card in FACES if card not in seen]
    if len(left) < HAND:
        raise OddsError(f"{len(left)} cards are left, a hand takes {HAND}", "leave out cards that are still there")
    return left


def _of(decks: int, seen: Sequence[Card], terms: ZhaJinHua) -> Mapping[str, Chance]:
    return {str(each): chance for each, chance in odds(decks, seen).items()}


def _deviation(decks: int, seen: Sequence[Card], terms: ZhaJinHua) -> dict[str, Fraction]:
    """How much likelier each kind is than with a full pack."""
    full = odds(decks, ())
    return {
        str(each): Fraction(chance.num, chance.den) - Fraction(full[each].num, full[each].den)
        for each, chance in odds(decks, seen).items()
    }


def _table(decks: int, seen: Sequence[Card], terms: ZhaJinHua) -> Iterator[str]:
    told = odds(decks, seen)
    yield f"{len(FACES)} cards, {len(FACES) - len(seen)} left. Chance that three of them are"
    yield ""
    for each, chance in told.items():
        percent = f"{float(100 * Fraction(chance.num, chance.den)):.4f} %"
        yield f"  {SAID[each]:<26}{chance.num:>7} of {chance.den}{percent:>12}"


SAID: Final[dict[Kind, str]] = {
    "leopard": "豹子    leopard",
    "straight_flush": "同花順  straight flush",
    "flush": "金花    flush",
    "straight": "順子    straight",
    "pair": "對子    pair",
    "high_card": "散牌    high card",
    "special_235": "特殊    2 3 5 mixed",
}
"""Kind -> its names, padded to the same width in a terminal, where a Chinese character takes two cells."""

BOOK: Final = OddsBook(of=_of, deviation=_deviation, table=_table)
