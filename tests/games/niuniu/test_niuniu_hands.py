"""Hands of niu-niu: their kinds, how many there are of each, and which of two wins."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from firmware_bridge.facts.cards import FACES, cards
from firmware_bridge.games.niuniu import GAME
from firmware_bridge.games.niuniu.hands import KINDS, kind_of, read, strength, three_of
from firmware_bridge.games.niuniu.script import NiuNiu
from tests.games import grabbed_niuniu as book
from tests.kit.nightly import share

COUNTS = (
    *(776, 608, 768, 1_968, 189_008),
    *(171_288, 168_072, 171_288, 168_072, 177_408, 168_072, 171_288, 168_072, 171_288),
    870_984,
)
"""Hands of each kind among the 2,598,960, from high to low."""

SAMPLE = 100_000


def test_hands_by_their_kind_counted_by_rank_patterns() -> None:
    assert GAME.odds
    chances = GAME.odds().of(1, (), NiuNiu())
    assert {kind: (chance.num, chance.den) for kind, chance in chances.items()} == {
        kind: (count, 2_598_960) for kind, count in zip(KINDS, COUNTS, strict=True)
    }


def test_random_hands_are_what_the_second_statement_of_the_rules_says() -> None:
    rng = Random(8)
    for _ in range(share(SAMPLE // 2, 12)):
        dealt = tuple(rng.sample(FACES, 10))
        a, b = dealt[:5], dealt[5:]
        faces = [[card.value for card in hand] for hand in (a, b)]
        assert [kind_of(card.rank for card in hand) for hand in (a, b)] == [book.kind(hand) for hand in faces]
        assert strength(a) != strength(b)
        assert (strength(a) > strength(b)) == book.beats(*faces)


@pytest.mark.parametrize(
    ("hand", "kind"),
    [
        ("As Ah 2c 2d 4s", "five_small"),
        ("As Ah Ac Ad 2s", "five_small"),
        ("As Ah Ac Ad 4s", "five_small"),
        ("2s 2h 2c 2d 3s", "bomb"),  # eleven
        ("As Ah Ac Ad 5s", "bomb"),
        ("Js Jh Jc Jd Ks", "bomb"),
        ("Js Jh Jc Jd Ts", "bomb"),
        ("Ts Th Tc Td Ks", "bomb"),
        ("Js Jh Qc Qd Ks", "five_face"),
        ("Js Jh Qc Qd Ts", "four_face"),
        ("Js Jh Qc Td Ts", "bull_bull"),
        ("Js Jh Qc Ks 9s", "bull_9"),
        ("3h 3c 3d 4s 4h", "bull_7"),
        ("As 2s 3s 4s 6s", "bull_6"),
        ("As 2s 3s 4s 5h", "bull_5"),
        ("As 3s 5s 7s 9s", "no_bull"),
    ],
)
def test_kind(hand: str, kind: str) -> None:
    assert read(cards(hand), NiuNiu().hand_multiples).kind == kind


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("2s 2h 2c 2d 3s", "As Ah Ac Ad Ks"),  # bombs: the four alone
        ("Ks 9h As 2c 3d", "Qs Qh 9s 5c 8d"),  # no bull, the higher card
        ("Ah 2h 3h 5h 9h", "Ac 2c 3c 5c 9c"),  # the best suit of the highest cards
        ("Kh Ks Qc Js 9d", "Kc Kd Qs Jh 9s"),
    ],
)
def test_of_equal_kinds_the_better_wins(better: str, worse: str) -> None:
    assert strength(cards(better)) > strength(cards(worse))


def test_the_three_are_the_first_in_the_order_dealt() -> None:
    assert three_of(cards("9s 5h 5s 3s Ks")) == cards("5h 5s Ks")
    assert three_of(cards("Ks Qs Js 5c 5d")) == cards("Ks Qs Js")
    assert three_of(cards("As 2s 4s 6s 8s")) is None
    multiples = NiuNiu().hand_multiples
    assert read(cards("Js Jh Qc Qd Ks"), multiples).three is None  # above the bulls nobody looks for them


def test_all_bulls_of_a_hand_are_the_same() -> None:
    rng = Random(5)
    for _ in range(5_000):
        hand = tuple(rng.sample(FACES, 5))
        turned = tuple(rng.sample(hand, 5))
        assert kind_of(card.rank for card in hand) == kind_of(card.rank for card in turned)
        assert Counter(hand) == Counter(turned)
        assert strength(hand) == strength(turned)


def test_kinds_that_the_house_does_not_name_keep_their_multiple() -> None:
    terms = NiuNiu(hand_multiples={"bomb": 9})
    assert (terms.hand_multiples["bomb"], terms.hand_multiples["five_small"]) == (9, 8)
    assert list(terms.hand_multiples) == list(KINDS)
