"""The odds of blackjack: the end of the dealer's hand by its first card, and the chance that the next card busts."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import comb, gcd, perm
from typing import Any, Final

from msgspec import Struct
from msgspec.structs import asdict

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games.blackjack.rules import MOST, STANDS_ON, VALUES, Blackjack, counted
from firmware_bridge.games.chances import Chance, HandOddsError
from firmware_bridge.games.game import SHOE, SHOE_ID, OddsBook, Wording, flush_right

UPS: Final = {1: "A"} | {pip: str(pip) for pip in range(2, 10)} | {10: "T"}
"""Points of a card -> name of the dealer's first card; `T` stands for T, J, Q and K."""

TOTALS: Final = tuple(str(total) for total in range(STANDS_ON, MOST + 1))
CELL: Final = 11
"""Width of a column of the table."""

ENDS: Final = (*TOTALS, "blackjack", "bust", "unfinished")
"""The ends of the dealer's hand; `unfinished`: no card is left in the shoe before it ends."""

HARD: Final = range(MOST - max(UPS) + 1, MOST + 1)
"""Totals, with every ace as 1, that one more card may bust."""

Piles = tuple[int, ...]
"""The number of cards left that count 1, 2, .. 10."""

Chances = dict[str, Chance]


class Odds(Struct, frozen=True):
    """The odds of blackjack from what is left of a shoe; all exact.

    dealer: first card, itself taken from what is left -> end -> its chance; over one `den`, to which `num` add up.
    peeked: the same where the peek found no blackjack.
    blackjack: the chance of a dealer's blackjack before any card (`any`), and by the first card.
    bust: total of a hand, with every ace as 1 -> the chance that the next card busts it.
    """

    dealer: dict[str, Chances]
    peeked: dict[str, Chances]
    blackjack: Chances
    bust: Chances


def odds(piles: Piles) -> Odds:
    """Return the odds of what is left. Raises HandOddsError for too few cards for the dealer."""
    cards = sum(piles)
    if cards < 2:
        raise HandOddsError(f"{cards} cards are left, the dealer takes 2", "odds need 2 cards or more")
    dealer = {UPS[value]: _ends(_without(piles, value), value) for value in UPS if piles[value - 1]}
    by_first = {up: ends["blackjack"] for up, ends in dealer.items() if up in ("A", "T")}
    return Odds(
        dealer=dealer,
        peeked={up: _peeked(dealer[up]) for up, chance in by_first.items() if chance.num < chance.den},
        blackjack={"any": Chance(piles[0] * piles[9], comb(cards, 2))} | by_first,
        bust={str(total): Chance(sum(piles[MOST - total :]), cards) for total in HARD},
    )


def _without(piles: Piles, value: int) -> Piles:
    return (*piles[: value - 1], piles[value - 1] - 1, *piles[value:])


def _ends(piles: Piles, first: int) -> Chances:
    """Return the end of the dealer's hand -> its chance, after a first card of `first` points, from these piles."""
    counts: Counter[tuple[str, int]] = Counter()
    _draw(list(piles), first, first == 1, 0, 1, counts)
    most = max(drawn for _, drawn in counts)
    cards = sum(piles)
    den = perm(cards, most)
    nums = Counter[str]()
    for (end, drawn), ways in counts.items():
        nums[end] += ways * perm(cards - drawn, most - drawn)
    return _lowest(nums, den)


def _draw(piles: list[int], hard: int, has_ace: bool, drawn: int, ways: int, counts: Counter[tuple[str, int]]) -> None:
    """Count the ordered draws that end the dealer's hand: (end, cards drawn) -> how many."""
    total = counted(hard, has_ace)[0]
    if drawn and total >= STANDS_ON:
        natural = total == MOST and drawn == 1
        counts["bust" if total > MOST else "blackjack" if natural else str(total), drawn] += ways
        return
    if not any(piles):
        counts["unfinished", drawn] += ways
        return
    for n, pile in enumerate(piles):
        if pile:
            piles[n] -= 1
            _draw(piles, hard + n + 1, has_ace or n == 0, drawn + 1, ways * pile, counts)
            piles[n] += 1


def _peeked(ends: Chances) -> Chances:
    """Return the ends of a hand that is no blackjack."""
    den = ends["blackjack"].den - ends["blackjack"].num
    return _lowest(Counter({end: chance.num for end, chance in ends.items() if end != "blackjack"}), den)


def _lowest(nums: Mapping[str, int], den: int) -> Chances:
    """Return the chances over one denominator, the least that they have in common."""
    shared = gcd(den, *nums.values())
    return {end: Chance(nums[end] // shared, den // shared) for end in ENDS if end in nums or end != "unfinished"}


def piles_of(decks: int, seen: Sequence[Card]) -> Piles:
    """Return the piles left of `decks` packs. Raises HandOddsError for cards that these do not hold."""
    if decks < 1:
        raise HandOddsError(f"{decks} decks hold no card", "give 1 or more: --decks 8")
    gone = Counter(seen)
    wrong = [f"{card.value} {times} times" for card, times in gone.items() if card not in FACES or times > decks]
    if wrong:
        raise HandOddsError(f"{decks} decks do not hold {', '.join(wrong)}", "check the cards seen")
    left = Counter(VALUES[card.rank] for card in FACES for _ in range(decks - gone[card]))
    return tuple(left[value] for value in UPS)


def _of(decks: int, seen: Sequence[Card], terms: Blackjack) -> dict[str, Any]:
    return asdict(odds(piles_of(decks, seen)))


def _deviation(decks: int, seen: Sequence[Card], terms: Blackjack) -> dict[str, Fraction]:
    """Return first card and end (`A.bust`) -> its chance less that of a full shoe."""
    now, full = odds(piles_of(decks, seen)).dealer, odds(piles_of(decks, ())).dealer
    return {
        f"{up}.{end}": Fraction(chance.num, chance.den) - Fraction(full[up][end].num, full[up][end].den)
        for up, ends in now.items()
        for end, chance in ends.items()
        if end != "unfinished"
    }


def _table(decks: int, seen: Sequence[Card], terms: Blackjack, wording: Wording) -> Iterator[str]:
    found, say = odds(piles_of(decks, seen)), wording.say
    size = decks * len(FACES)
    shoe = say(SHOE_ID, SHOE, size=size, decks=decks, left=size - len(seen))
    yield shoe + say("odds.dealer", "How the dealer's hand ends, by its first card:")
    yield ""
    heads = (say(f"odds.{head}", head) if head.isalpha() else head for head in ("first", *ENDS[:-1]))
    yield "  " + "".join(flush_right(head, CELL) for head in heads)
    yield from _rows(found.dealer)
    yield "  " + say("odds.peeked", "after a peek that found no blackjack:")
    yield from _rows(found.peeked)
    yield ""
    natural = _percent(found.blackjack["any"])
    yield "  " + say("odds.natural", "dealer's blackjack, no card dealt yet: {chance}", chance=natural)
    yield "  " + say("odds.busts", "the next card busts a hand of (every ace as 1):")
    yield "  " + "".join(f"{total:>{CELL}}" for total in found.bust)
    yield "  " + "".join(f"{_percent(chance):>{CELL}}" for chance in found.bust.values())


def _rows(dealer: Mapping[str, Chances]) -> Iterator[str]:
    for up, ends in dealer.items():
        cells = [_percent(ends[end]) if end in ends else "-" for end in ENDS[:-1]]
        yield "  " + "".join(f"{text:>{CELL}}" for text in (up, *cells))


def _percent(chance: Chance) -> str:
    return f"{float(100 * Fraction(chance.num, chance.den)):.4f} %"


BOOK: Final = OddsBook(of=_of, deviation=_deviation, table=_table)
