"""The odds of niu-niu and er ba gang: exact from whatever is left of the pack."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from random import Random

import pytest

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.cards import FACES, TILES, Card, cards
from firmware_bridge.games import GAMES
from firmware_bridge.games.erbagang.hands import kind_of as kind_of_tiles
from firmware_bridge.games.game import ENGLISH, OddsBook
from firmware_bridge.games.niuniu.hands import kind_of as kind_of_cards

ALL_TILES = [tile for tile in TILES for _ in range(4)]


def book(game: str) -> OddsBook:
    made = GAMES[game].odds
    assert made
    return made()


@pytest.mark.parametrize("left", [5, 9, 16])
def test_what_is_left_of_a_pack_counted_hand_by_hand(left: int) -> None:
    rng = Random(left)
    kept = rng.sample(FACES, left)
    chances = book("niuniu").of(1, [card for card in FACES if card not in kept], GAMES["niuniu"].terms())
    counted = Counter(kind_of_cards(card.rank for card in hand) for hand in combinations(kept, 5))
    assert {kind: chance.num for kind, chance in chances.items() if chance.num} == counted
    assert {chance.den for chance in chances.values()} == {counted.total()}


@pytest.mark.parametrize("left", [2, 7, 24])
def test_what_is_left_of_the_tiles_counted_hand_by_hand(left: int) -> None:
    tiles = Random(left).sample(ALL_TILES, len(ALL_TILES))
    chances = book("erbagang").of(1, tiles[left:], GAMES["erbagang"].terms())
    counted = Counter(kind_of_tiles(tile.rank for tile in hand) for hand in combinations(tiles[:left], 2))
    assert {kind: chance.num for kind, chance in chances.items() if chance.num} == counted


@pytest.mark.parametrize("game", ["niuniu", "erbagang"])
def test_chances_add_up_to_one_and_deviations_to_nothing(game: str) -> None:
    terms, seen = GAMES[game].terms(), cards("As Kd 5c") if game == "niuniu" else cards("wp 2p 8p")
    chances = book(game).of(1, seen, terms)
    assert sum(Fraction(chance.num, chance.den) for chance in chances.values()) == 1
    differs = book(game).deviation(1, seen, terms)
    assert sum(differs.values()) == 0
    assert any(differs.values())
    assert list(differs) == list(chances)


@pytest.mark.parametrize(
    ("game", "decks", "seen", "says"),
    [
        ("niuniu", 2, (), "one deck, not 2"),
        ("niuniu", 1, cards("As As"), "As 2 times"),
        ("niuniu", 1, cards("1p"), "1p 1 times"),
        ("niuniu", 1, FACES[:48], "4 cards are left"),
        ("erbagang", 1, cards("wp") * 5, "wp 5 times"),
        ("erbagang", 1, tuple(ALL_TILES[:39]), "1 cards are left"),
    ],
)
def test_what_no_pack_holds_is_named(game: str, decks: int, seen: tuple[Card, ...], says: str) -> None:
    with pytest.raises(BridgeError, match=says):
        book(game).of(decks, seen, GAMES[game].terms())


def test_the_tables_for_a_terminal() -> None:
    niuniu = list(book("niuniu").table(1, (), GAMES["niuniu"].terms(), ENGLISH))
    assert niuniu[0] == "52 cards left: hands of five, by their kind."
    assert niuniu[1].split() == ["five-small", "776", "0.029858", "%"]
    tiles = list(book("erbagang").table(1, (), GAMES["erbagang"].terms(), ENGLISH))
    assert [line.split()[-3] for line in tiles[1:]] == ["6", "54", "16", "704"]
