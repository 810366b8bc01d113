"""What the rules and bets of a round cost, as the product calls them; beside PyBaccarat 0.10 where it does the like.

By hand, in a venv of its own (neither package belongs to the project's):

    python3 -m venv ../rules && ../rules/bin/pip install . pytest pytest-benchmark pybaccarat==0.10
    ../rules/bin/pytest scripts/bench/test_rules_bench.py -p no:cacheprovider --benchmark-columns=min,median,ops

Each benchmark of a group takes the same 1,000 rounds, so its OPS is thousands of rounds per second. PyBaccarat's own
`Game` compares hands in a way Python 3 no longer has, so its `Hand` is dealt to here as `Game.play_hand` deals, without
a shoe and without texts. The like of it is `Play.judge`, which gives a correction its result: it also names which slot
each card fills and why, which pairs there are, and what each of 38 bets has won, so it takes longer, and no limit is
set. A card at the table costs `layout` for the cards that are out. CPU time is measured, so that others on the machine
matter less.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

import pytest
from pybaccarat.baccarat import Hand
from pybaccarat.playingcards import Card as TheirCard

from firmware_bridge.facts.cards import FACES, RANKS, Card
from firmware_bridge.games.baccarat import GAME
from firmware_bridge.games.baccarat.bets import results
from firmware_bridge.games.baccarat.odds import full, odds, remaining
from firmware_bridge.games.baccarat.script import Baccarat
from firmware_bridge.games.game import Layout, Start
from firmware_bridge.games.machine import layout as run
from firmware_bridge.games.moves import Dealt

ROUNDS = 1_000

TERMS, START = Baccarat(), Start()

Benchmark = Callable[..., Any]


def layout(cards: tuple[Card, ...]) -> Layout:
    """Return the round after these cards, by the script of the game."""
    return run(GAME, [Dealt(card) for card in cards], TERMS, START)


def judge(cards: tuple[Card, ...]) -> Any:
    """Return the result of a whole round, as corrections have it."""
    assert GAME.play.judge
    return GAME.play.judge(cards, TERMS, START).result


def deal() -> list[tuple[Card, ...]]:
    """Return rounds off shuffled shoes, the same ones every time."""
    shuffled, shoe, rounds = random.Random(1), list[Card](), list[tuple[Card, ...]]()
    while len(rounds) < ROUNDS:
        if len(shoe) < 6:
            shoe = list(FACES) * 8
            shuffled.shuffle(shoe)
        count = next(count for count in (4, 5, 6) if layout(tuple(shoe[:count])).result)
        rounds.append(tuple(shoe[:count]))
        del shoe[:count]
    return rounds


OURS = deal()
THEIRS = [tuple(TheirCard(RANKS.index(card.rank) + 1, card.suit) for card in cards) for cards in OURS]


def theirs(cards: tuple[TheirCard, ...]) -> tuple[int, int]:
    """Return PyBaccarat's totals of a round, drawn as its `Game.play_hand` draws."""
    player, banker, shoe = Hand(), Hand(), iter(cards)
    player.add(next(shoe))
    banker.add(next(shoe))
    player.add(next(shoe))
    banker.add(next(shoe))
    if not player.is_natural() and not banker.is_natural():
        if player.need_hit(None):
            player.add(next(shoe))
        if banker.need_hit(player):
            banker.add(next(shoe))
    return player.value(), banker.value()


def test_both_judge_alike() -> None:
    """Compare the totals of every round."""
    ours = [tuple(hand.total for hand in judge(cards).hands.values()) for cards in OURS]
    assert ours == [theirs(cards) for cards in THEIRS]


@pytest.mark.benchmark(group="1,000 rounds judged", timer=time.process_time)
def test_pybaccarat(benchmark: Benchmark) -> None:
    """Take the totals by PyBaccarat."""
    benchmark(lambda: [theirs(cards) for cards in THEIRS])


@pytest.mark.benchmark(group="1,000 rounds judged", timer=time.process_time)
def test_judged(benchmark: Benchmark) -> None:
    """Judge slots, hands, pairs, outcome and the net result of all 38 bets, from the cards as they were played."""
    benchmark(lambda: [judge(cards) for cards in OURS])


@pytest.mark.benchmark(group="1,000 rounds, card by card", timer=time.process_time)
def test_layout_at_every_card(benchmark: Benchmark) -> None:
    """Do the shoe's work at a table: make the layout again after each card of the round."""
    benchmark(lambda: [layout(cards[:count]) for cards in OURS for count in range(1, len(cards) + 1)])


@pytest.mark.benchmark(group="1,000 rounds judged", timer=time.process_time)
def test_all_bets_alone(benchmark: Benchmark) -> None:
    """Work out the net result of all 38 bets, hands given."""
    ended = [result for cards in OURS if (result := layout(cards).result)]
    finished = [{side: hand.cards for side, hand in result.hands.items()} for result in ended]  # type: ignore[attr-defined]
    benchmark(lambda: [results(hands) for hands in finished])


@pytest.mark.benchmark(group="odds of all bets", timer=time.process_time)
def test_odds_of_a_full_shoe(benchmark: Benchmark) -> None:
    """Work out every tier of all 38 bets, eight decks."""
    benchmark(odds, full(8))


@pytest.mark.benchmark(group="odds of all bets", timer=time.process_time)
def test_odds_of_what_is_left(benchmark: Benchmark) -> None:
    """Do the same after 40 rounds."""
    seen = [card for cards in OURS[:40] for card in cards]
    benchmark(odds, remaining(8, seen))
