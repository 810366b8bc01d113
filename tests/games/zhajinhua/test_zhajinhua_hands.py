"""Hands of zha jin hua: all 22,100 by kind, the order within each kind, and the special that beats leopards."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from random import Random
from typing import Any

import pytest

from firmware_bridge.demo.round_player import LineError, answer
from firmware_bridge.facts.cards import FACES, cards
from firmware_bridge.games.zhajinhua.hands import Hand, beats, kind
from tests.games.zhajinhua import simulated_hands
from tests.kit.rows import each_row

LINES = [
    line
    for text in (Path(__file__).parents[2] / "vectors" / "games" / "zhajinhua.jsonl").read_text("utf-8").splitlines()
    if (line := json.loads(text))["type"] == "compare"
]


@cache
def all_hands() -> list[Hand]:
    return [*combinations(FACES, 3)]


def hand(text: str) -> Hand:
    return cards(text)


def test_all_hands_by_kind() -> None:
    assert Counter(map(kind, all_hands())) == {
        "leopard": 52,
        "straight_flush": 48,
        "flush": 1_096,
        "straight": 720,
        "pair": 3_744,
        "high_card": 16_440 - 60,
        "special_235": 60,
    }


@each_row("line", LINES, ids=lambda line: line["id"])
def test_a_public_comparison(line: dict[str, Any]) -> None:
    a, b = (hand("".join(line[name]["cards"])) for name in "ab")
    assert (kind(a), kind(b)) == (line["a"]["kind"], line["b"]["kind"])
    assert (beats(a, b), beats(b, a)) == (line["winner"] == "a", line["winner"] == "b")


HIGH_TO_LOW = [
    "As Ah Ad", "Ks Kh Kd", "2s 2h 2d",  # leopards
    "As Ks Qs", "Ah Kh Qh", "Kd Qd Jd", "4s 3s 2s", "As 2s 3s", "Ac 2c 3c", "Ad 2d 3d",  # straight flushes
    "As Ks Js", "Ah Kh Jh", "Ad Kd 9d", "As Qs Js", "6c 3c 2c", "5s 3s 2s", "5d 3d 2d",  # flushes
    "As Kd Qd", "Ah Ks Qs", "4d 3s 2s", "3s Ad 2d", "3h As 2s", "3d Ah 2s",  # straights: A23 by the suit of the 3
    "As Ad Kd", "Ah Ac Ks", "As Ad Qs", "2s 2d 3d", "2h 2c 3s",  # pairs: then the pair that holds the spade
    "As Kh Jd", "Ah Ks Js", "As Kd 2h", "Ks Ad 2s", "6s 3d 2d", "6h 3s 2s", "5s 4d 2h",  # high cards
]  # fmt: skip


def test_each_hand_beats_the_next_ones_and_none_above_it() -> None:
    for better, worse in combinations([hand(each) for each in HIGH_TO_LOW], 2):
        if not set(better) & set(worse):
            assert beats(better, worse)
            assert not beats(worse, better)


def test_only_three_in_a_row_are_a_straight() -> None:
    assert kind(hand("Ks Ah 2d")) == "high_card"
    assert kind(hand("Ks As 2s")) == "flush"
    assert kind(hand("As 2h 3d")) == "straight"


def test_the_special_beats_leopards_and_nothing_else() -> None:
    specials = [each for each in all_hands() if kind(each) == "special_235"]
    leopards = [each for each in all_hands() if kind(each) == "leopard"]
    for special in specials:
        assert all(beats(special, leopard) and not beats(leopard, special) for leopard in leopards)
    others = Random(1).sample([each for each in all_hands() if kind(each) not in ("special_235", "leopard")], 500)
    assert all(beats(other, special) for other in others for special in specials[::7] if not {*other} & {*special})
    assert kind(hand("2s 3s 5s")) == "flush"


def test_of_two_specials_the_suit_of_the_five_decides() -> None:
    for better, worse in pairwise(["5s 2d 3d", "5h 2s 3c", "5c 3s 2h", "5d 3h 2c"]):
        assert beats(hand(better), hand(worse))
        assert not beats(hand(worse), hand(better))


def test_beats_is_no_order() -> None:
    special, leopard, high = hand("2s 3h 5d"), hand("As Ah Ad"), hand("6s 3d 2d")
    assert beats(special, leopard)
    assert beats(leopard, high)
    assert beats(high, special)


def test_one_of_two_hands_always_wins_and_the_second_implementation_agrees() -> None:
    random = Random(2)
    for _ in range(10_000):
        drawn = random.sample(FACES, 6)
        a, b = tuple(drawn[:3]), tuple(drawn[3:])
        assert beats(a, b) is not beats(b, a)
        assert beats(a, b) == simulated_hands.first_wins([card.value for card in a], [card.value for card in b])


@pytest.mark.parametrize("first", [["2s", "3h", "5d"], {"cards": ["2s", "3h", "5d"]}])
def test_hands_may_come_with_their_cards_alone(first: object) -> None:
    line = {"id": "c", "game": "zhajinhua", "type": "compare", "a": first, "b": {"cards": ["As", "Ah", "Ad"]}}
    assert answer("zhajinhua", json.dumps(line)) == {"id": "c", "winner": "a"}


@pytest.mark.parametrize(
    "wrong", [["2s", "3h"], ["As", "3h", "5d"], ["1p", "3h", "5d"], ["2s", "2s", "5d"], ["Xx"] * 3]
)
def test_what_is_no_hand_beside_the_other_is_reported(wrong: list[str]) -> None:
    line = {"id": "c", "game": "zhajinhua", "type": "compare", "a": wrong, "b": {"cards": ["As", "Ah", "Ad"]}}
    with pytest.raises(LineError):
        answer("zhajinhua", json.dumps(line))
