"""What the guests of a demonstration do, and that it is worth its name."""

from __future__ import annotations

from random import Random

import pytest

from firmware_bridge.facts.cards import FACES, cards
from firmware_bridge.games.blackjack import GAME
from firmware_bridge.games.blackjack.rules import Blackjack
from firmware_bridge.games.game import Layout, Placed, Start
from firmware_bridge.games.prompts import CardDue, MarkDue, Offer
from firmware_bridge.games.strategy import Asked
from tests.games.rounds import Rules
from tests.kit.nightly import share


def said(hand: str, up: str, offers: str = "S H DD SP SU") -> str:
    dealer = Placed("D", "D", cards(up)[0])
    offered = {word: offer for word, offer in GAME_OFFERS.items() if word in offers.split()}
    return GAME.demo.strategy(Asked("S1.1", offered, Layout((dealer,)), cards(hand)), Random(1))[0]


def first_offers() -> dict[str, Offer]:
    rules = Rules(GAME, Blackjack(), Start({"1": "10"}, decks=8, left=416), 8)
    rules.play(["8s", "5c", "8d", "6h"])
    due = rules.table.due
    assert isinstance(due, MarkDue)
    return dict(due.act["S1.1"])


GAME_OFFERS = first_offers()


@pytest.mark.parametrize(
    ("hand", "up", "word"),
    [
        ("Ts 6d", "6c", "S"),
        ("Ts 6d", "7c", "H"),
        ("Ts 6d", "Kc", "SU"),
        ("8s 8d", "Kc", "SP"),
        ("5s 5d", "9c", "DD"),
        ("5s 5d", "Tc", "H"),
        ("6s 5d", "Ac", "H"),
        ("As 7d", "2c", "S"),
        ("As 7d", "3c", "DD"),
        ("As 7d", "9c", "H"),
        ("As Ad", "Ac", "SP"),
        ("Ts Kd", "6c", "S"),
        ("9s 9d", "7c", "S"),
        ("2s 3d", "6c", "H"),
    ],
)
def test_the_usual_strategy(hand: str, up: str, word: str) -> None:
    assert said(hand, up) == word


@pytest.mark.parametrize(
    ("hand", "up", "word"), [("As 3d 4c", "3c", "S"), ("As 2d 3c", "5c", "H"), ("Ts 4d 2c", "Kc", "H")]
)
def test_without_a_double_or_a_surrender_a_hand_is_hit_or_stands(hand: str, up: str, word: str) -> None:
    assert said(hand, up, "S H") == word


def test_the_house_wins_little_from_such_guests() -> None:
    rng, won, rounds = Random(7), 0.0, share(1_500, 4)
    for _ in range(rounds):
        rules = Rules(GAME, Blackjack(), Start({"1": "10"}, decks=8, left=416), 8)
        while rules.table.result is None:
            due = rules.table.due
            if isinstance(due, CardDue):
                rules.play([rng.choice(FACES).value])
            elif isinstance(due, MarkDue):
                slot, offers = next(iter(due.act.items()))
                hand = [each.card for each in rules.table.placed if each.plays == slot and each.card]
                word, _ = GAME.demo.strategy(Asked(slot, offers, rules.table, hand), rng)
                rules.play([word])
        won += float(rules.table.result.bets["S1"]) / 10
    assert -0.12 < won / rounds < 0.10
