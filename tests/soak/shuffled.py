"""A hand at the shoe: deals shuffled shoes to their end, and plays each by the rule book beside the bridge."""

import json
from random import Random
from typing import Any

from firmware_bridge.daemon.devices.code_books import NATIVE_CUT_CARD, native_code
from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import Cut, Drawn, NewShoe, Step
from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.messages import messages
from tests.kit.daemon_table import ROOM, Table

BEHIND_CUT = 13
"""Cards at least behind the cut card: enough for the last round."""


class Dealer:
    """`drawn`: the cards so far, in order. `rounds`: what the rule book makes of them. All chances from `random`."""

    def __init__(self, random: Random, table: Table) -> None:
        self.drawn: list[Card] = []
        self.rounds: list[dict[str, Any]] = []
        self.shoes = 0
        self._random, self._table = random, table
        self._steps: list[Step] = []

    @property
    def between_shoes(self) -> bool:
        """Whether the next card would open a shoe."""
        return not self._steps

    def new_shoe(self) -> dict[str, Any]:
        """Shuffle; the settings the table must be given before the next card."""
        settings: dict[str, Any] = {
            "procedure": self._random.choice(["on-demand", "six-card"]),
            "burn": self._random.choice(["first-card", "none", 3]),
            "after_cut": self._random.choice(["finish", "one-more"]),
            "close": "auto",
            "decks": self._random.choice([1, 8, 8, 8]),
        }
        faces = [*FACES] * settings["decks"]
        self._random.shuffle(faces)
        self._steps = [Drawn(face) for face in faces]
        self._steps.insert(self._random.randrange(20, min(len(faces) - BEHIND_CUT, 150)), Cut())
        self._book = Replay(house_of(**settings, new_shoe="auto"), "T07", print)
        self._play(NewShoe())
        self.shoes += 1
        return settings | {"new_shoe": "auto"}

    def draw(self) -> None:
        """Draw what lies on top, unless the board is full."""
        if self.between_shoes or self._table.board.waiting >= ROOM:
            return
        step = self._steps.pop(0)
        if isinstance(step, Drawn) and step.card:
            self.drawn.append(step.card)
            self._table.board.pull(native_code(step.card))
        else:
            self._table.board.pull(NATIVE_CUT_CARD)
        self._table.pty.tick()
        self._play(step)

    def _play(self, step: Step) -> None:
        for line in self._book.play([step]):
            self.rounds += [json.loads(each.payload) for each in messages(line) if each.topic == "round"]
        if self._book.shoe.status == "ended":
            self._steps = []
