"""The odds of three games: the exact chance of each kind of hand from the cards that are left, by counting."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any

from msgspec import Struct

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.cards import Card
from firmware_bridge.games.game import OddsBook, Wording, padded

NAME, COUNT, PART = 14, 16, 14
"""Columns of a table of chances: widths in a terminal's cells."""


class HandOddsError(BridgeError, ValueError):
    """Cards that the pack does not hold, or too few left for a hand."""


class Chance(Struct, frozen=True):
    """`num` of `den` hands, all of them equally likely."""

    num: int
    den: int


def book(
    game: str,
    pack: Mapping[Card, int],
    counted: str,
    words: Mapping[Any, str],
    count: Callable[[Counter[Card], Any], dict[str, Chance]],
) -> OddsBook:
    """Return the odds of a game with one pack a round: kind -> its chance.

    game: its name in the ids of texts. counted: what is counted, behind the number of cards left. words: kind -> its
    name in English. count: the chances from the cards that are left, under the terms.
    """

    def of(decks: int, seen: Sequence[Card], terms: Any) -> dict[str, Chance]:
        return count(left_of(pack, decks, seen), terms)

    def deviation(decks: int, seen: Sequence[Card], terms: Any) -> dict[str, Fraction]:
        return differences(of(decks, seen, terms), of(decks, (), terms))

    def table(decks: int, seen: Sequence[Card], terms: Any, wording: Wording) -> Iterator[str]:
        by_kind, left = of(decks, seen, terms), sum(pack.values()) - len(seen)
        yield wording.say(f"odds.of.{game}", f"{{left}} {counted}, by their kind.", left=left)
        for kind, chance in by_kind.items():
            part = f"{float(100 * Fraction(chance.num, chance.den)):.6f} %"
            name = wording.say(f"guest.is.{game}.{kind}", words[kind])
            yield f"  {padded(name, NAME)}{chance.num:>{COUNT},}{part:>{PART}}"

    return OddsBook(of=of, deviation=deviation, table=table)


def left_of(pack: Mapping[Card, int], decks: int, seen: Iterable[Card]) -> Counter[Card]:
    """Return face -> cards left of the one pack. Raises HandOddsError naming cards that it does not hold."""
    if decks != 1:
        raise HandOddsError(f"this game has one deck, not {decks}", "give --decks 1")
    gone = Counter(seen)
    wrong = [f"{card.value} {times} times" for card, times in gone.items() if times > pack.get(card, 0)]
    if wrong:
        raise HandOddsError(f"the deck does not hold {', '.join(wrong)}", "check the cards seen")
    return Counter({card: copies - gone[card] for card, copies in pack.items()})


def chances(
    left: Mapping[Card, int], size: int, kinds: Sequence[str], kind_of: Callable[[Sequence[str]], str]
) -> dict[str, Chance]:
    """Return kind -> its chance for a hand of `size` cards, if the ranks alone say the kind. Raises HandOddsError."""
    by_rank: Counter[str] = Counter()
    for card, count in left.items():
        by_rank[card.rank] += count
    cards = by_rank.total()
    if cards < size:
        raise HandOddsError(f"{cards} cards are left, a hand takes {size}", f"odds need {size} cards or more")
    hands: Counter[str] = Counter()
    for ranks in combinations_with_replacement(list(by_rank), size):
        hands[kind_of(ranks)] += prod(comb(by_rank[rank], times) for rank, times in Counter(ranks).items())
    return {kind: Chance(hands[kind], comb(cards, size)) for kind in kinds}


def differences(now: Mapping[str, Chance], full: Mapping[str, Chance]) -> dict[str, Fraction]:
    """Return kind -> its chance less that from a full pack."""
    return {kind: Fraction(now[kind].num, now[kind].den) - Fraction(full[kind].num, full[kind].den) for kind in now}
