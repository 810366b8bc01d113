"""A stage: all that a table publishes, in order."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from firmware_bridge.demo.memory_table import Retained
from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs
from firmware_bridge.facts.wire import VERSION, StateHead, joined
from firmware_bridge.facts.wire_states import Status
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.messages import messages
from firmware_bridge.shoe import Shoe
from firmware_bridge.topics.state import mode
from scripts.tools.messages.examples import HEALTH
from tests.kit.table import Table

VERSION_SAID: Final = "97.53.1"
LIMITS: Final[dict[str, Any]] = {"table": {"low": 100, "high": "20000"}, "tie": 5000, "tiger_pair": 77, "SECRETBET": 78}


class Said(NamedTuple):
    """A message as it was published: the last word of its topic, its bytes, how many lines were journaled by then."""

    topic: str
    payload: bytes
    line: int


class Stage:
    """Collects what a table publishes. `lines`: its journal."""

    def __init__(self) -> None:
        self.said: list[Said] = []
        self.lines: list[Line] = []
        self._retained, self._link = Retained(), 0

    def status(self, shoe: Shoe, state: Any, boot: str = "boot", *, began: bool = False) -> None:
        self._link += began
        body = Status(state, VERSION_SAID, "4c7c4bc 2026-11-20", shoe.seq + 1, mode(shoe), "synchronised", self._link)
        self._state("status", shoe, body, boot)

    def health(self, shoe: Shoe) -> None:
        reader = replace(HEALTH.reader, reads=40_417, unread=3, forecast="lamp ends in 9 days")
        self._state("health", shoe, replace(HEALTH, uptime_s=36_061, reader=reader, queue=3), "boot")

    def other(self, topic: str, body: bytes) -> None:
        self.said.append(Said(topic, body, len(self.lines)))

    def line(self, line: Line, shoe: Shoe) -> None:
        self.lines.append(line)
        for each in messages(line):
            self.other(each.topic, each.payload)
        self.states(shoe)

    def states(self, shoe: Shoe) -> None:
        if self.lines:
            for topic, payload in self._retained.changed(self.lines[-1], shoe):
                self.other(topic, payload)

    def _state(self, topic: str, shoe: Shoe, body: Any, boot: str) -> None:
        at = f"2026-11-20T21:{len(self.lines) // 60 % 60:02}:{len(self.lines) % 60:02}.{len(self.said) % 1000:03}Z"
        self.other(topic, joined(StateHead(VERSION, "T07", shoe.number, shoe.journal, shoe.seq, at, boot), body))


class Watched(Table):
    """A table whose every line goes to a stage."""

    def __init__(self, stage: Stage, **settings: Any) -> None:
        self.stage = stage
        super().__init__(**settings)

    def carry(self, fact: inputs.AnyInput, events: tuple[e.AnyEvent, ...]) -> tuple[e.AnyEvent, ...]:
        before = len(self.lines)
        super().carry(fact, events)
        self.outside.clear()
        if len(self.lines) > before:
            self.stage.line(self.lines[-1], self.shoe)
        return events
