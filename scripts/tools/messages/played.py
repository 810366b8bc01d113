"""Plays a scene at a simulated table: its messages step by step, the same bytes every time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from firmware_bridge.daemon.table.order_service import order_of
from firmware_bridge.daemon.table.refusals import BACKEND
from firmware_bridge.demo.memory_table import MemoryTable, Retained
from firmware_bridge.demo.script import NewShoe, Pause, input_of, parse
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.events import CommandAnswered
from firmware_bridge.facts.house import House
from firmware_bridge.facts.wire import VERSION, StateHead, joined
from firmware_bridge.games.house import house_of, usual
from firmware_bridge.journal.line import FIRST_CHAIN, Line
from firmware_bridge.journal.messages import messages
from firmware_bridge.record.signer import signer
from firmware_bridge.shoe import Shoe, phase
from firmware_bridge.topics.state import table
from firmware_bridge.topics.texts.refusals import worded
from scripts.tools.messages.scenes import Scene, Step

TABLE: Final = "T07"
BOOT: Final = "5c1e8a02"
BEGAN: Final = 1_795_207_500_000
"""When a scene begins: 2026-11-20T20:45:00Z, in ms since 1970."""

STEP_MS: Final = 1500

KEY: Final = signer("shoe.invalid/10000000a1b2c3d4/5c1e8a02", bytes(range(32)))
"""What signs the records of all scenes: a key that everybody knows."""

FIRST: Final = inputs.Follows(None, 0, FIRST_CHAIN, 0)
"""What the first record of a device goes on from."""


class Sent(NamedTuple):
    """A message: its topic, the name of the table and its root left out."""

    topic: str
    payload: dict[str, Any]


STAFF: Final[dict[str, Any]] = {"pit": "Pit 3", "shifts": {"day": "08:00", "evening": "16:00", "night": "00:00"}}
"""What the house of every scene says of its pit and its shifts."""


class Moment(NamedTuple):
    """An input, the messages it caused, and the phase afterwards."""

    came: inputs.AnyInput
    sent: tuple[Sent, ...]
    phase: str


def played(scene: Scene) -> Iterator[Moment]:
    """Play a scene from the first start of the device."""
    return _Table(house_of(scene.game, **usual(scene.game) | STAFF | scene.settings)).play(scene.steps)


class _Table:
    def __init__(self, house: House) -> None:
        self._house, self._retained = house, Retained()
        self._memory, self._at, self._orders = MemoryTable(Shoe(), TABLE, BOOT, "example"), 0, 0
        self._memory.tree.coming = (KEY,)

    def play(self, steps: tuple[Step, ...]) -> Iterator[Moment]:
        nonce, begun = self._memory.nonce(), inputs.NewRecord(KEY.key.name, KEY.key.vkey, FIRST)
        yield from self._handle(inputs.Started(at=0, version="0.1.0", house=self._house, nonce=nonce, record=begun))
        for each in steps:
            match each:
                case str():
                    yield from self._script(each)
                case inputs.CardRead():
                    yield from self._handle(replace(each, nonce=self._memory.nonce()))
                case orders.Enter():
                    yield from self._order(each, "ANNA")
                case _ if isinstance(each, orders.Order):
                    yield from self._order(each, BACKEND)
                case _:
                    yield from self._handle(each)

    def _script(self, text: str) -> Iterator[Moment]:
        for word in parse(text):
            match word:
                case NewShoe():
                    yield from self._order(orders.OpenShoe(), BACKEND)
                case Pause(ms=ms):
                    yield from self._pass(self._at + ms)
                case _:
                    came = input_of(word, BACKEND, self._memory.nonce)
                    if isinstance(came, inputs.Ordered):
                        yield from self._order(came.order, BACKEND)
                    else:
                        yield from self._handle(came)

    def _pass(self, end: int) -> Iterator[Moment]:
        for due in self._memory.moments(end):
            self._at = max(self._at, due - STEP_MS)
            yield from self._handle(inputs.TimePassed(at=0))
        self._at = max(self._at, end)

    def _wire(self, order: orders.Order) -> orders.Order:
        """Return the order as decoded from a message; a mark names the turn it answers."""
        fields = msgspec.json.decode(msgspec.json.encode(order))
        if isinstance(order, orders.Mark):
            now = table(self._memory.shoe)
            fields |= {"round": now.round, "turn": now.turn}
        return order_of(fields, orders.ALL)

    def _order(self, order: orders.Order, by: str) -> Iterator[Moment]:
        self._orders += 1
        if by == BACKEND and not isinstance(order, orders.Malformed):
            order = self._wire(order)
        nonce = self._memory.nonce()
        yield from self._handle(inputs.Ordered(at=0, order=order, by=by, nonce=nonce, id=str(self._orders)))

    def _handle(self, came: inputs.AnyInput) -> Iterator[Moment]:
        self._at += STEP_MS
        came = replace(came, at=BEGAN + self._at, mono=self._at, salt=self._memory.nonce())
        if line := self._memory.handle(came):
            yield Moment(came, tuple(self._sent(line)), phase(self._memory.shoe).value)

    def _sent(self, line: Line) -> Iterator[Sent]:
        for message in messages(line):
            yield Sent(message.topic, msgspec.json.decode(message.payload))
        for topic, payload in self._retained.changed(line, self._memory.shoe):
            yield Sent(topic, msgspec.json.decode(payload))
        assert line.entry
        came = line.entry.input
        if isinstance(came, inputs.Ordered) and came.by == BACKEND and not isinstance(came.order, orders.Malformed):
            order = msgspec.json.decode(msgspec.json.encode(came.order))
            yield Sent("command", {"id": came.id} | order)
        for event in line.entry.events:
            if isinstance(event, CommandAnswered) and event.by == BACKEND:
                yield Sent("reply", self._beside(line, worded(replace(event.answer, digest=None))))

    def _beside(self, line: Line, body: Struct) -> dict[str, Any]:
        public = line.public
        head = StateHead(VERSION, TABLE, public.shoe, public.journal, public.seq, public.at, BOOT)
        return dict(msgspec.json.decode(joined(head, body)))
