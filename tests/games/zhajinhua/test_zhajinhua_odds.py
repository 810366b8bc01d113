"""The chances of each kind of hand: exact, of a full pack and of any rest of it."""

from __future__ import annotations

from itertools import combinations
from math import comb
from random import Random

import pytest

from firmware_bridge.facts.cards import FACES, TILES, cards
from firmware_bridge.games.chances import HandOddsError
from firmware_bridge.games.game import ENGLISH
from firmware_bridge.games.zhajinhua import GAME
from firmware_bridge.games.zhajinhua.seats import ZhaJinHua
from tests.games.zhajinhua.simulated_hands import kind_of

assert GAME.odds
BOOK = GAME.odds()


def test_a_full_pack_has_the_hands_that_are_published() -> None:
    assert {each: (chance.num, chance.den) for each, chance in BOOK.of(1, (), ZhaJinHua()).items()} == {
        "leopard": (52, 22_100),
        "straight_flush": (48, 22_100),
        "flush": (1_096, 22_100),
        "straight": (720, 22_100),
        "pair": (3_744, 22_100),
        "high_card": (16_380, 22_100),
        "special_235": (60, 22_100),
    }


def test_cards_that_were_seen_are_left_out() -> None:
    chances = BOOK.of(1, cards("AsAhAd"), ZhaJinHua())
    assert chances["leopard"].den == comb(49, 3)
    assert chances["leopard"].num == 12 * 4
    assert sum(chance.num for chance in chances.values()) == comb(49, 3)


def test_any_rest_counts_as_the_second_implementation_counts_it() -> None:
    random = Random(4)
    for left in (3, 7, 20):
        rest = random.sample(FACES, left)
        chances = BOOK.of(1, [card for card in FACES if card not in rest], ZhaJinHua())
        kinds = [kind_of([card.value for card in hand]) for hand in combinations(rest, 3)]
        assert {each: chance.num for each, chance in chances.items()} == {each: kinds.count(each) for each in chances}


def test_how_much_likelier_a_kind_is_adds_up_to_nothing() -> None:
    differs = BOOK.deviation(1, cards("2s3h5d"), ZhaJinHua())
    assert sum(differs.values()) == 0
    assert differs["special_235"] < 0


def test_people_get_a_line_for_each_kind() -> None:
    lines = [*BOOK.table(1, (), ZhaJinHua(), ENGLISH)]
    assert lines[0] == "52 cards left: hands of three, by their kind."
    assert lines[1].split() == ["leopard", "52", "0.235294", "%"]
    assert len(lines) == 8


@pytest.mark.parametrize(
    ("decks", "seen", "text"),
    [
        (2, (), "one deck, not 2"),
        (1, cards("AsAs"), "does not hold As 2 times"),
        (1, TILES[:1], "does not hold 1p 1 times"),
        (1, FACES[:50], "2 cards are left"),
    ],
)
def test_no_odds_of_what_is_no_pack(decks: int, seen: tuple[object, ...], text: str) -> None:
    with pytest.raises(HandOddsError, match=text):
        BOOK.of(decks, seen, ZhaJinHua())  # type: ignore[arg-type]
