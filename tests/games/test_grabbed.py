"""Random games of niu-niu and er ba gang through the real shoe, beside the second statement of their rules."""

from __future__ import annotations

import json
from random import Random

import pytest

from firmware_bridge.demo.round_player import answer
from firmware_bridge.games import GAMES
from tests.games.grabbed_lines import line
from tests.kit.nightly import share

GAMES_EACH = 120
"""By hand, more: `python -m tests.games.compare_grabbed GAME COUNT`."""

BACKWARDS = ["points", "28", "pair", "white_pair"]
OUTPUT = ("steps", "result")


@pytest.mark.parametrize("game", ["niuniu", "erbagang"])
def test_random_games_are_played_as_the_second_statement_says(game: str) -> None:
    rng = Random(12)
    for n in range(share(GAMES_EACH)):
        case = line(game, rng, f"{game}-{n}")
        answered = answer(game, json.dumps({name: case[name] for name in case if name not in OUTPUT}))
        for ours, theirs, move in zip(answered["steps"], case["steps"], [None, *case["moves"]], strict=True):
            assert ours == theirs, (case["id"], move)
        assert answered["result"] == case["result"], case["id"]


@pytest.mark.parametrize(
    ("game", "given", "expected"),
    [
        ("niuniu", {"a": {"cards": ["As", "2s", "3s", "4s", "5h"]}, "b": ["Ks", "Kh", "Kc", "Kd", "9s"]}, "b"),
        ("erbagang", {"player": ["1p", "1p"], "banker": ["2p", "8p"]}, "win"),
        ("erbagang", {"player": {"tiles": ["1p", "1p"]}, "banker": {"tiles": ["1p", "1p"]}, "ties": "banker"}, "lose"),
        ("erbagang", {"player": ["9p", "1p"], "banker": ["wp", "wp"], "order": BACKWARDS}, "win"),
    ],
)
def test_hands_compare_as_their_game_has_it(game: str, given: dict[str, object], expected: str) -> None:
    compare = GAMES[game].demo.compare
    assert compare
    assert list(compare(given).values()) == [expected]


def test_a_hand_of_too_few_cards_is_none() -> None:
    for game, given in (("niuniu", {"a": ["As"], "b": ["Ks"]}), ("erbagang", {"player": ["1p"], "banker": ["1p"]})):
        compare = GAMES[game].demo.compare
        assert compare
        with pytest.raises(ValueError, match="a hand has"):
            compare(given)
