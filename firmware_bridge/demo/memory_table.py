"""A table in memory and a player of deal scripts: no hardware, no clock, the same bytes every time."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import count
from typing import Any, Final, Literal

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from firmware_bridge.demo.script import Key, NewShoe, Pause, Say, Step, input_of
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.events import Device, KeyRefused
from firmware_bridge.facts.house import House
from firmware_bridge.facts.wire import VERSION, StateHead
from firmware_bridge.journal.line import FIRST_CHAIN, Line, seal
from firmware_bridge.journal.record_tree import RecordTree
from firmware_bridge.shoe import Judge, Phase, Shoe, decide, phase, step
from firmware_bridge.shoe.handlers.disclosure import deadline
from firmware_bridge.shoe.handlers.rounds import SAME_PRESS_MS, is_same_press
from firmware_bridge.shoe.state import with_device
from firmware_bridge.topics.state import OwnTopics, snapshots
from firmware_bridge.topics.texts.refusals import worded

_encode = msgspec.json.Encoder().encode


class MemoryTable:
    """Handles inputs as the daemon does, without clock, disk, hardware. name, boot: of messages. nonces: their seed.

    tree: of the record; it has no signers, so nothing is signed, unless they are given.
    """

    def __init__(self, shoe: Shoe, name: str, boot: str, nonces: str) -> None:
        self.shoe, self.name, self.boot, self.chain = shoe, name, boot, FIRST_CHAIN
        self.tree = RecordTree()
        self._nonces = counted(nonces)

    def handle(self, fact: inputs.AnyInput, judge: Judge | None = None) -> Line | None:
        """Handle an input; return its journal line, None without events. judge: used instead of `decide`."""
        made = step(self.shoe, fact, self.name, self.boot, judge)
        if made is None:
            return None
        line = seal(made.entry, self.chain, self.tree.prove)
        self.tree.added(line)
        self.shoe, self.chain = made.shoe, line.chain
        return line

    def nonce(self) -> str:
        return next(self._nonces)

    def moments(self, end: int) -> Iterator[int]:
        """Yield the shoe's deadlines up to `end`, ms; handle an input at each one before the next."""
        while (moment := deadline(self.shoe)) is not None and moment <= end:
            yield moment


def counted(name: str) -> Iterator[str]:
    """Yield nonces, 32 hex digits each, the same in every run."""
    return (sha256(f"{name} {n}".encode()).hexdigest()[:32] for n in count(1))


class Retained:
    """Keeps the value of each retained topic."""

    def __init__(self) -> None:
        self._own = OwnTopics()
        self._held: dict[str, Any] = {}
        self._published: dict[str, bytes] = {}

    def changed(self, line: Line, shoe: Shoe) -> Iterator[tuple[str, bytes]]:
        """Yield topic and payload of each state that `line` changed; `shoe` is the shoe after it."""
        public = line.public
        head = _encode(
            StateHead(VERSION, public.table, public.shoe, public.journal, public.seq, public.at, public.boot)
        )
        for topic, value in snapshots(shoe, own=self._own).items():
            if self._held.get(topic) is value:
                continue
            body = bytes(value) if isinstance(value, Raw) else _encode(value)
            if self._published.get(topic) != body:
                self._held[topic], self._published[topic] = value, body
                yield topic, b"%b,%b" % (head[:-1], body[1:])


Close = Literal["auto", "next"]
"""Whether rounds end by themselves or by the word `next`."""

BY: Final = "script"
BOOT: Final = "replay"

_NEXT: Final = (Key("next"), Say(orders.Next()))
_OUTSIDE: Final = (Phase.EMPTY, Phase.BETTING, Phase.READY, Phase.ENDED)
"""The phases in which no round is open that NEXT could end."""


class Replay:
    """Plays steps and yields journal lines; `shoe` is the state they leave.

    Numbers, nonces and chain start again at each `NewShoe`: a shoe gives the same lines at any position. warn: called
    with a sentence for each step that makes no sense. close: how rounds end here, None as the house says.
    """

    def __init__(
        self, house: House, table: str, warn: Callable[[str], None], burn: bool = True, close: Close | None = "auto"
    ) -> None:
        self.house = replace(house, close=close or house.close, burn=house.burn if burn else "none")
        self.table, self.warn = table, warn
        self._begin()

    def _begin(self) -> None:
        shoe = Shoe(journal="0-replay", device=Device(self.house))
        self._memory, self._salts, self.at = MemoryTable(shoe, self.table, BOOT, "replay"), counted("salt"), 0

    @property
    def shoe(self) -> Shoe:
        """The shoe after the last step."""
        return self._memory.shoe

    def play(self, steps: list[Step]) -> Iterator[Line]:
        """Yield the lines of the steps, which may come in parts. Without a leading `shoe`, a full shoe is open."""
        opens = steps and (isinstance(steps[0], NewShoe) or (steps[0] in _NEXT and self._next_is_for_something()))
        if steps and not opens and self.shoe.status == "empty":
            self._memory.shoe = with_device(self.shoe, next_house=replace(self.house, burn="none"))
            yield from self._open()
        for each in steps:
            yield from self._step(each)

    def _step(self, step: Step) -> Iterator[Line]:
        if step in _NEXT and is_same_press(self.shoe, self.at):
            yield from self._pass(SAME_PRESS_MS)  # in a script each NEXT is a press of its own
        match step:
            case NewShoe():
                yield from self._new_shoe()
            case Key(key="next") if phase(self.shoe) in _OUTSIDE and not self._next_is_for_something():
                self.warn("next: nothing is open, ignored")
            case Pause(ms=ms):
                yield from self._pass(ms)
            case Say(order=order):
                yield from self._order(order)
            case _:
                yield from self._handle(input_of(step, BY, self._memory.nonce))

    def _next_is_for_something(self) -> bool:
        """Return whether NEXT is not refused now: it opens a pack, for example."""
        events = decide(self.shoe, inputs.Pressed(at=self.at, mono=self.at, key="next"))
        return not all(isinstance(each, KeyRefused) for each in events)

    def _pass(self, ms: int) -> Iterator[Line]:
        """Advance the time; each deadline of the shoe becomes an input."""
        end = self.at + ms
        for moment in self._memory.moments(end):
            self.at = max(self.at, moment)
            yield from self._handle(inputs.TimePassed(at=0))
        self.at = end

    def end(self) -> Iterator[Line]:
        """Yield the lines that end a shoe in use before the next one."""
        if phase(self.shoe) in (Phase.DEALING, Phase.COMPLETE):
            self.warn(f"shoe: round {self.shoe.round} is not finished, voided")
            yield from self._order(orders.Void("a new shoe"))
        if self.shoe.status == "open":
            yield from self._order(orders.CloseShoe("a new shoe"))

    def _new_shoe(self) -> Iterator[Line]:
        yield from self.end()
        self._begin()
        yield from self._open()

    def _open(self) -> Iterator[Line]:
        yield from self._order(orders.OpenShoe(confirmed_by=BY if self.house.confirm_shuffle else ""))

    def _order(self, order: orders.Order) -> Iterator[Line]:
        for line in self._handle(input_of(Say(order), BY, self._memory.nonce)):
            last = line.entry.events[-1] if line.entry else None
            answer = getattr(last, "answer", None)
            if answer and not answer.ok:
                self.warn(f"{answer.do}: {worded(answer).error}")
            yield line

    def _handle(self, fact: inputs.AnyInput) -> Iterator[Line]:
        fact = replace(fact, salt=next(self._salts), at=self.at, mono=self.at)
        if line := self._memory.handle(fact):
            yield line
