"""Hands of er ba gang: their kinds, how many there are of each, and how a player's ends against the banker's."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement, permutations
from typing import get_args

import pytest

from firmware_bridge.facts.cards import TILES, cards
from firmware_bridge.games.erbagang import GAME
from firmware_bridge.games.erbagang.hands import KINDS, Kind, Ties, kind_of, outcome, read
from firmware_bridge.games.erbagang.script import ErBaGang
from tests.games import grabbed_erbagang as book

PAIRS = {"white_pair": 6, "pair": 54, "28": 16, "points": 704}
ORDERS = list(permutations(KINDS))


def test_all_780_pairs_by_their_kind() -> None:
    tiles = [tile for tile in TILES for _ in range(4)]
    assert Counter(kind_of(tile.rank for tile in pair) for pair in combinations(tiles, 2)) == PAIRS
    assert GAME.odds
    chances = GAME.odds().of(1, (), ErBaGang())
    assert {kind: (chance.num, chance.den) for kind, chance in chances.items()} == {
        kind: (count, 780) for kind, count in PAIRS.items()
    }


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("ties", get_args(Ties))
def test_every_hand_against_every_hand(order: tuple[Kind, ...], ties: Ties) -> None:
    hands = list(combinations_with_replacement(TILES, 2))
    for player in hands:
        for banker in hands:
            mine, his = ([tile.value for tile in hand] for hand in (player, banker))
            assert outcome(player, banker, order, ties) == book.outcome(mine, his, list(order), ties)


@pytest.mark.parametrize(
    ("player", "banker", "ends"),
    [
        ("wp wp", "9p 9p", "win"),
        ("1p 1p", "2p 8p", "win"),
        ("9p 9p", "8p 8p", "win"),
        ("8p 2p", "wp 9p", "win"),
        ("wp 9p", "1p 8p", "win"),
        ("wp 1p", "4p 7p", "win"),
        ("1p 9p", "3p 7p", "win"),  # nought against nought: the higher tile
        ("3p 7p", "1p 9p", "lose"),
        ("3p 4p", "4p 3p", "push"),
        ("2p 8p", "8p 2p", "push"),
        ("wp wp", "wp wp", "push"),
    ],
)
def test_the_usual_order(player: str, banker: str, ends: str) -> None:
    terms = ErBaGang()
    assert outcome(cards(player), cards(banker), terms.order, terms.ties) == ends


@pytest.mark.parametrize(
    ("tiles", "kind", "points", "digit"),
    [
        ("wp wp", "white_pair", "whites", "1"),
        ("9p 9p", "pair", "9-9", "8"),
        ("8p 2p", "28", "2-8", "0"),
        ("wp 9p", "points", "9.5", "9.5"),
        ("wp 1p", "points", "1.5", "1.5"),
        ("6p 7p", "points", "3", "3"),
        ("1p 9p", "points", "0", "0"),
    ],
)
def test_a_hand_is_named_in_words(tiles: str, kind: str, points: str, digit: str) -> None:
    hand = read(cards(tiles))
    assert (hand.kind, hand.points, hand.digit) == (kind, points, digit)


@pytest.mark.parametrize("order", [("pair",), (*KINDS[:3], "pair")])
def test_the_order_names_each_kind_once(order: tuple[Kind, ...]) -> None:
    with pytest.raises(ValueError, match="order: name each of"):
        ErBaGang(order=order)
