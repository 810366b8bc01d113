"""Rounds a second of each game with seats: by its rules alone, asked again at every move, and through the shoe.

    PYTHONPATH=. .venv/bin/python scripts/bench/games.py [--rounds 200] [--repeat 5]

The same rounds for each repeat, by the seats' own strategy; of the repeats the best counts, in CPU time, since others
may use this machine. Through the shoe: decided, journaled in memory with their sealed part, folded; no disk, no broker.
"""

import argparse
import time
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import Drawn, NewShoe, OneInput
from firmware_bridge.facts.cards import Card
from firmware_bridge.games import GAMES
from firmware_bridge.games.game import Game
from firmware_bridge.games.house import house_of, terms_of, usual
from firmware_bridge.games.layout import Start
from firmware_bridge.games.machine import layout
from firmware_bridge.games.moves import Move
from firmware_bridge.shoe import Phase, phase
from firmware_bridge.shoe.round import moves, start
from tests.kit.guests import Hand, step_of


class Asked(NamedTuple):
    """What the rules are asked once: the layout after these moves of a round that began so."""

    moves: tuple[Move, ...]
    start: Start


def played(game: Game, rounds: int, rng: Random) -> Iterator[tuple[OneInput | NewShoe, Asked | None]]:
    """Yield what comes to a table, and what its rules are asked then, until so many rounds are over."""
    table, over = Replay(house_of(game.name, **usual(game.name)), "T", print), 0
    hand = Hand(game, table.house.decks, rng)
    while over < rounds:
        shoe = table.shoe
        what = hand.next(shoe)
        if isinstance(what, Card):
            step: OneInput | NewShoe = Drawn(what)
        else:
            step = NewShoe() if shoe.status == "empty" else step_of(what)
        before = len(shoe.rounds)
        for _ in table.play([step]):
            pass
        over += len(table.shoe.rounds) > before
        in_round = phase(table.shoe) is Phase.DEALING
        yield step, Asked(moves(table.shoe), start(table.shoe)) if in_round else None


def seconds(work: Any, repeat: int) -> float:
    """Return the CPU time of the quickest of some repeats."""
    took = []
    for _ in range(repeat):
        began = time.thread_time()
        work()
        took.append(time.thread_time() - began)
    return min(took)


def measure(game: Game, rounds: int, repeat: int) -> str:
    """Return a line of the table."""
    steps, questions = [], []
    for step, question in played(game, rounds, Random(1)):
        steps.append(step)
        questions += [question] if question else []
    terms = terms_of(house_of(game.name))

    def by_rules() -> None:
        for each in questions:
            layout(game, each.moves, terms, each.start)

    def by_shoe() -> None:
        table = Replay(house_of(game.name, **usual(game.name)), "T", print)
        for step in steps:
            for _ in table.play([step]):
                pass

    rules, shoe = (rounds / seconds(work, repeat) for work in (by_rules, by_shoe))
    return f"{game.name:<12}{len(steps) / rounds:>14.1f}{rules:>18,.0f}{shoe:>18,.0f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--repeat", type=int, default=5)
    asked_for = parser.parse_args()
    print(f"{'game':<12}{'moves a round':>14}{'rules, rounds/s':>18}{'shoe, rounds/s':>18}")
    for game in GAMES.values():
        if game.play.words:
            print(measure(game, asked_for.rounds, asked_for.repeat), flush=True)


if __name__ == "__main__":
    main()
