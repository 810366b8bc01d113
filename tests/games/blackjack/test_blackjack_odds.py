"""The odds of blackjack against every order of small shoes, and against figures that others publish."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from random import Random

import pytest

from firmware_bridge.cli import main
from firmware_bridge.facts.cards import FACES, Card, cards
from firmware_bridge.games.blackjack.odds import BOOK, UPS, odds, piles_of
from firmware_bridge.games.blackjack.rules import Blackjack
from firmware_bridge.games.chances import Chance, HandOddsError
from tests.games.blackjack.counts import best, points

FULL = piles_of(8, ())


def part(chance: Chance) -> Fraction:
    return Fraction(chance.num, chance.den)


def ended(order: tuple[str, ...]) -> str:
    """How the dealer ends who draws these cards in this order, said in the plainest way."""
    hand: list[str] = []
    for card in order:
        hand.append(card)
        total, _ = best(hand)
        if len(hand) == 2 and total == 21:
            return "blackjack"
        if len(hand) >= 2 and total > 16:
            return "bust" if total > 21 else str(total)
    return "unfinished"


def counted(left: list[Card]) -> dict[str, dict[str, Fraction]]:
    """First card -> end -> its chance, over all orders of what is left."""
    ends: dict[str, Counter[str]] = {}
    for order in permutations([card.value for card in left]):
        first = UPS[points(order[0][0])]
        ends.setdefault(first, Counter())[ended(order)] += 1
    return {up: {end: Fraction(n, counts.total()) for end, n in counts.items()} for up, counts in ends.items()}


@pytest.mark.parametrize("seed", range(12))
def test_the_dealers_ends_are_those_of_all_orders(seed: int) -> None:
    rng = Random(seed)
    left = rng.sample(FACES, rng.randint(2, 7))
    shoe_odds = odds(piles_of(1, [card for card in FACES if card not in left]))
    found = {
        up: {end: part(chance) for end, chance in ends.items() if chance.num} for up, ends in shoe_odds.dealer.items()
    }
    assert found == counted(left)


@pytest.mark.parametrize("few", ["Ac As", "Ac Ad Ah As 2c", "6c 5d", "2c 2d 2h 2s 3d 3h 3s"])
def test_a_shoe_may_be_empty_before_the_dealer_has_ended(few: str) -> None:
    left = list(cards(few))
    dealer = odds(piles_of(1, [card for card in FACES if card not in left])).dealer
    assert {up: part(ends["unfinished"]) for up, ends in dealer.items() if "unfinished" in ends} == {
        up: ends["unfinished"] for up, ends in counted(left).items() if "unfinished" in ends
    }


# Per cent, of eight decks where the dealer stands on every 17, before any peek: as published in tables of the game.
@pytest.mark.parametrize(
    ("up", "bust"),
    [("2", 35.35), ("3", 37.41), ("4", 39.55), ("5", 41.79), ("6", 42.29), ("7", 26.20), ("8", 24.40), ("9", 22.90)],
)
def test_eight_decks_bust_as_published(up: str, bust: float) -> None:
    assert round(float(100 * part(odds(FULL).dealer[up]["bust"])), 2) == pytest.approx(bust, abs=0.011)


def test_a_blackjack_of_eight_decks() -> None:
    chances = odds(FULL).blackjack
    assert part(chances["any"]) == Fraction(2 * 32 * 128, 416 * 415)
    assert part(chances["A"]) == Fraction(128, 415)
    assert part(chances["T"]) == Fraction(32, 415)


def test_a_peek_without_blackjack_leaves_the_other_ends_in_proportion() -> None:
    shoe_odds = odds(FULL)
    for up in ("A", "T"):
        rest = 1 - part(shoe_odds.dealer[up]["blackjack"])
        assert not shoe_odds.peeked[up]["blackjack"].num
        for end in ("17", "21", "bust"):
            assert part(shoe_odds.peeked[up][end]) == part(shoe_odds.dealer[up][end]) / rest


def test_the_ends_of_one_first_card_add_up() -> None:
    shoe_odds = odds(piles_of(6, cards("As Kd 5c") * 3))
    for ends in (*shoe_odds.dealer.values(), *shoe_odds.peeked.values()):
        assert {chance.den for chance in ends.values()} == {sum(chance.num for chance in ends.values())}


@pytest.mark.parametrize(
    ("total", "num"), [("12", 4), ("13", 5), ("15", 7), ("16", 8), ("19", 8), ("20", 9), ("21", 10)]
)
def test_the_next_card_busts_a_hand(total: str, num: int) -> None:
    left = cards("As 2d 6c 7c 8c 9c Td Jd Qd Kd")
    busts = odds(piles_of(1, [card for card in FACES if card not in left])).bust
    assert busts[total] == Chance(num, 10)


def test_one_card_is_no_hand() -> None:
    with pytest.raises(HandOddsError, match="1 cards are left"):
        odds(piles_of(1, FACES[1:]))


@pytest.mark.parametrize(
    ("decks", "seen", "says"),
    [(0, "", "0 decks hold no card"), (2, "As As Kd As", "2 decks do not hold As 3 times"), (8, "5p", "5p 1 times")],
)
def test_cards_that_no_shoe_holds(decks: int, seen: str, says: str) -> None:
    with pytest.raises(HandOddsError, match=says):
        piles_of(decks, cards(seen))


def test_the_deviation_is_from_a_full_shoe() -> None:
    seen = cards("5c 5d 5h")
    now, full = odds(piles_of(6, seen)).dealer, odds(piles_of(6, ())).dealer
    differs = BOOK.deviation(6, seen, Blackjack())
    assert differs["6.bust"] == part(now["6"]["bust"]) - part(full["6"]["bust"])
    assert not any(BOOK.deviation(6, (), Blackjack()).values())


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    return lambda text: monkeypatch.setattr("sys.stdin", io.StringIO(text))


def test_the_command_tells_integers(capfdbinary: pytest.CaptureFixture[bytes], stdin: Callable[[str], None]) -> None:
    stdin("shoe As Kd")
    assert main(["odds", "--game", "blackjack", "--decks", "6", "--seen", "-", "--json"]) == 0
    printed = json.loads(capfdbinary.readouterr().out)
    assert printed["blackjack"]["any"] == {"num": 23 * 95, "den": 310 * 309 // 2}
    assert list(printed["dealer"]) == ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T"]


def test_the_command_draws_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["odds", "--game", "blackjack"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("416 cards in 8 decks, 416 left.")
    assert lines[3].split()[:3] == ["A", "13.0210", "%"]
