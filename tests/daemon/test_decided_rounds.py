"""A round of each game that is corrected, and one that is voided, as a subscriber receives them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest

from firmware_bridge.facts.cards import Card
from firmware_bridge.games import GAMES
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable
from tests.kit.guests import Guests

broker, brokers = real.broker, real.brokers  # fixtures

FACES: Final = {each.value for each in Card}

GUESSED = [name for name in GAMES if GAMES[name].play.words]
"""Games with seats that mark; the others' rounds are corrected and voided in the tests of every command."""


class Sitting:
    """A daemon's table and its guests; `words` are what came since the shoe opened, as a correction names it."""

    def __init__(self, table: DaemonTable, guests: Guests) -> None:
        self.table, self.guests, self.words = table, guests, list[str]()

    def play(self) -> Card | dict[str, Any]:
        """Let one thing happen: a card is dealt, or an order given."""
        what = self.guests.next()
        if isinstance(what, Card):
            self.table.deal(what.value)
            self.words.append(what.value)
            return what
        answer = self.table.ask(by="eve", **what)
        assert answer["ok"], (what, answer)
        if what["do"] == "mark":
            seat, value = what.get("seat"), what.get("value")
            self.words.append((f"{seat}:" if seat else "") + what["word"] + (f"={value}" if value is not None else ""))
        return what

    def swapped(self) -> Iterator[list[str]]:
        """The words with two cards in each other's place; not all are rounds, as the guests' marks stay."""
        cards = [n for n, word in enumerate(self.words) if word in FACES]
        for one, other in combinations(cards, 2):
            swapped = list(self.words)
            swapped[one], swapped[other] = swapped[other], swapped[one]
            yield swapped


@pytest.mark.parametrize("game", GUESSED)
def test_a_round_is_corrected_and_an_open_one_voided(game: str, tmp_path: Path, broker: Broker) -> None:
    guests = Guests(game, Random(1))
    table = DaemonTable(tmp_path, broker.port, table=guests.settings)
    with closing(table), Backend(broker.port) as backend:
        backend.meanwhile = lambda: table.pause(0.005)
        sitting = Sitting(table.start(), guests)
        while not guests.rounds:
            sitting.play()
        same = table.ask(do="correct", round=1, cards=sitting.words, why="looked again", by="eve")
        assert same["error"] == "this changes nothing: round 1 is on record so"
        answers = (table.ask(do="correct", round=1, cards=each, why="misread", by="eve") for each in sitting.swapped())
        assert any(answer["ok"] for answer in answers)
        while not isinstance(sitting.play(), Card):
            pass
        assert table.ask(do="void", why="misdeal", by="eve")["ok"]
        backend.wait_until(lambda: len(backend.on("round")) == 3)
        closed, corrected, voided = backend.on("round")
        assert [each["status"] for each in (closed, corrected, voided)] == ["closed", "corrected", "voided"]
        assert closed["hands"] != corrected["hands"]
        assert (corrected["corrects"], corrected["by"]) == (closed["seq"], "eve")
        assert voided["by"] == "eve"
