"""A table without hardware for the tests of the core: steps in, journal lines and messages out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from firmware_bridge.demo.memory_table import MemoryTable
from firmware_bridge.demo.script import NewShoe, Pause, input_of, parse
from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.cards import Card, cards
from firmware_bridge.facts.house import House
from firmware_bridge.games.house import house_of
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.messages import OutMessage, messages
from firmware_bridge.shoe import Shoe, decide, phase
from firmware_bridge.topics.lamps import lamps
from firmware_bridge.topics.state import snapshots
from firmware_bridge.topics.texts import alarms
from firmware_bridge.topics.texts.refusals import worded
from tests.kit.alarms import assert_fit

Step = str | inputs.AnyInput

FLOODED = inputs.ReaderFaulted(at=0, why="437 cards were reported for a shoe of 416")
LOST = inputs.DeviceLost(at=0, device="reader", why="unplugged")
BACK = inputs.DeviceBack(at=0, device="reader")
RESUMED = inputs.DeviceBack(at=0, device="reader", resumes=True)
RESTART = inputs.Started(at=0, version="test", house=House(), nonce="f" * 32)


class Table:
    """Plays deal scripts and inputs as the daemon would; `settings` are those of the house."""

    def __init__(self, **settings: Any) -> None:
        self.house = house_of(**settings)
        self.memory, self.at = MemoryTable(Shoe(), "T07", "boot", "test"), 0
        self.lines: list[Line] = []
        self.outside: list[object] = []
        self._texts: list[str] = []
        self._messages: list[OutMessage] = []
        self._lines_read = 0
        self.take(RESTART)

    def play(self, *steps: Step) -> Table:
        """Deal scripts, and inputs for what a script cannot say."""
        for each in steps:
            for fact in self._inputs(each):
                self.take(fact)
        return self

    def take(self, fact: inputs.AnyInput) -> tuple[e.AnyEvent, ...]:
        """One input all the way; its events."""
        self.at += 1
        fact = msgspec.structs.replace(fact, at=self.at, mono=self.at)
        if isinstance(fact, inputs.Started):
            fact = msgspec.structs.replace(fact, house=self.house)
        return self.carry(fact, decide(self.shoe, fact))

    def carry(self, fact: inputs.AnyInput, events: tuple[e.AnyEvent, ...]) -> tuple[e.AnyEvent, ...]:
        """Journal events, and keep all that can be seen of them outside."""
        assert_fit(events)
        if line := self.memory.handle(fact, lambda *_: events):
            self.lines.append(line)
            self.outside += [*[message.payload for message in messages(line)], line.entry, line, fact]
        self.outside += [msgspec.json.encode(snapshots(self.shoe)), lamps(self.shoe), self.shoe]
        return events

    def _inputs(self, step: Step) -> Iterator[inputs.AnyInput]:
        if not isinstance(step, str):
            yield step
            return
        for word in parse(step):
            match word:
                case NewShoe():
                    yield self.order(orders.OpenShoe())
                case Pause(ms=ms):
                    yield from self._pass(self.at + ms)
                case _:
                    yield input_of(word, "floor", self.nonce)

    def _pass(self, end: int) -> Iterator[inputs.AnyInput]:
        """Time goes by; the shoe is told of each moment it waits for."""
        for moment in self.memory.moments(end):
            self.at = max(self.at, moment - 1)
            yield inputs.TimePassed(at=0)
        self.at = end

    def card(self, card: Card | str, **report: Any) -> inputs.CardRead:
        return inputs.CardRead(at=0, card=Card(card), **({"nonce": self.nonce()} | report))  # type: ignore[arg-type]  # of a card, itself

    def order(self, order: orders.Order, **given: Any) -> inputs.Ordered:
        return inputs.Ordered(at=0, order=order, nonce=self.nonce(), **({"by": "floor"} | given))

    def nonce(self) -> str:
        return self.memory.nonce()

    @property
    def shoe(self) -> Shoe:
        return self.memory.shoe

    @shoe.setter
    def shoe(self, shoe: Shoe) -> None:
        self.memory.shoe = shoe

    # ------------------------------------------------------------ what came out

    @property
    def shown(self) -> list[str]:
        """All that was published, and how what was judged looks in a log."""
        new = self.outside[len(self._texts) :]
        self._texts += [each.decode() if isinstance(each, bytes) else repr(each) for each in new]
        return self._texts

    @property
    def messages(self) -> list[OutMessage]:
        self._messages += [message for line in self.lines[self._lines_read :] for message in messages(line)]
        self._lines_read = len(self.lines)
        return self._messages.copy()

    @property
    def rounds(self) -> list[dict[str, Any]]:
        """The payloads of the topic `round`."""
        return [json.loads(message.payload) for message in self.messages if message.topic == "round"]

    @property
    def events(self) -> list[e.AnyEvent]:
        return [event for line in self.lines if line.entry for event in line.entry.events]

    @property
    def phase(self) -> str:
        return phase(self.shoe).value

    @property
    def open(self) -> tuple[str, ...]:
        return tuple(each.id for each in self.shoe.device.irregular)

    def about(self, name: str) -> str | None:
        """The values of an open irregularity in words, None if none of this name is open."""
        found = (each.values for each in self.shoe.device.irregular if each.id == name)
        return next((alarms.about("en", name, values) for values in found), None)

    @property
    def due(self) -> str | None:
        """The one slot lamp that is steady."""
        slots = [lamp for lamp, rhythm in lamps(self.shoe).lit.items() if rhythm == "steady" and lamp[-1].isdigit()]
        assert len(slots) <= 1
        return slots[0] if slots else None

    @property
    def answer(self) -> orders.Answer:
        """The last answer to an order, with its words."""
        return worded([event.answer for event in self.events if isinstance(event, e.CommandAnswered)][-1])

    def dealt(self, number: int = -1) -> str:
        """The cards of a round as slots and faces: `P1 As, B1 9c`."""
        return ", ".join(f"{each['slot']} {each['card']}" for each in self.rounds[number]["cards"])

    @property
    def summary(self) -> str:
        """The rounds in short: `1 closed player, 2 voided last`."""
        return ", ".join(
            " ".join(filter(None, [str(r["round"]), r["status"], r.get("outcome", ""), "last" * r["last"]]))
            for r in self.rounds
        )

    @property
    def seen(self) -> str:
        """The cards counted as out of the shoe, in order."""
        return " ".join(card.value for card in self.shoe.seen)


def faces(text: str) -> tuple[str, ...]:
    """Cards as a correction gives them."""
    return tuple(card.value for card in cards(text))
