"""Keeps the state of each table that metrics are made of.

A key that an older table does not send has its default.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from time import monotonic, time
from typing import Annotated, ClassVar, Final, Literal, TypeVar

from msgspec import Meta, Struct, convert

from firmware_bridge.client.payload import MessageError, state, verify_table
from firmware_bridge.facts import wire_states
from firmware_bridge.facts.book.measures import Health, ReaderHealth
from firmware_bridge.facts.bounds import Number
from firmware_bridge.facts.printable import escaped
from firmware_bridge.facts.wire import Name, StateHead, excerpt
from firmware_bridge.facts.wire_states import Status
from firmware_bridge.floor import latest
from firmware_bridge.floor.latest import Body, Latest, Read, milliseconds
from firmware_bridge.floor.listed import Listed
from firmware_bridge.floor.seldom import Seldom
from firmware_bridge.floor.source import Delivery

log = logging.getLogger(__name__)

TOPICS: Final = ("status", "health", "alarm", "table", "round")

MOST_TABLES: Final = 5_000
"""Most tables, so that a client with invented names cannot fill the memory."""

MOST_ALARMS: Final = 50
"""Most kinds of open alarms of one table."""

LARGEST: Final = 256 * 1024
"""Most bytes of a message."""

RoundStatus = Literal["closed", "corrected", "voided"]

Part = TypeVar("Part", bound=Struct)


_Head: Final = excerpt(StateHead, "table", "at", "boot")
_Status: Final = excerpt(Status, "state", version="unknown", build="unknown", mode=None, clock="unknown", link=None)
_Reader: Final = excerpt(ReaderHealth, **dict.fromkeys(ReaderHealth.__struct_fields__))
_Health: Final = excerpt(Health, **dict.fromkeys(Health.__struct_fields__) | {"reader": convert({}, _Reader)})
_Laid: Final = excerpt(wire_states.Table, "phase", cards_left=None)


class _Alarm(Struct, frozen=True):
    id: Name
    severity: Name


class _Alarms(Struct, frozen=True):
    open: Annotated[tuple[_Alarm, ...], Meta(max_length=1000)]


class _Round(Struct, frozen=True):
    seq: Number
    n: Number
    status: RoundStatus


def _read(payload: bytes, body: type[Part]) -> tuple[StateHead, Part]:
    """Decode head and body of a message. Raises MessageError."""
    if len(payload) > LARGEST:
        raise MessageError(f"too long: {len(payload)} bytes", "")
    head, content = state(payload, body, _Head)
    if milliseconds(head.at) is None:  # the 32nd of a month
        raise MessageError(f"not a time: {head.at}", "")
    return head, content


def _kinds(payload: bytes) -> tuple[StateHead, Counter[tuple[str, str]]]:
    """Decode how many alarms of each kind are open. Raises MessageError, also for too many kinds."""
    head, alarms = _read(payload, _Alarms)
    kinds = Counter((each.id, each.severity) for each in alarms.open)
    if len(kinds) > MOST_ALARMS:
        raise MessageError(f"too many kinds of alarms: {len(kinds)}", "")
    return head, kinds


class Table(Latest):
    """The latest messages of a table, and how many rounds it sent since its first message."""

    reads: ClassVar[Mapping[str, Read]] = {
        "status": lambda payload: _read(payload, _Status),
        "health": lambda payload: _read(payload, _Health),
        "alarm": _kinds,
        "table": lambda payload: _read(payload, _Laid),
    }

    alarms = Body[Counter[tuple[str, str]]]("alarm")
    """By id and severity."""
    laid = Body[wire_states.Table]("table")
    """Phase and cards left."""

    def __init__(self, name: str, since: int) -> None:
        super().__init__(name, since)
        self.rounds: Counter[RoundStatus] = Counter()
        self._last_round = ("", 0, 0)

    def update(self, topic: str, payload: bytes, retained: bool, now: int, wall: int) -> bool:
        """Update as `Latest` does. Rounds from before the first `status` of a boot are not counted."""
        if topic == "round":
            return self._count(payload)
        before = self.messages.get(topic)
        changed = super().update(topic, payload, retained, now, wall)
        head = self.messages[topic].head
        if topic == "status" and changed and (before is None or before.head.boot != head.boot):
            began = (head.at, 0, 0)
            self._last_round = min(self._last_round, began) if self._last_round[0] else began
        return changed

    def _count(self, payload: bytes) -> bool:
        """Count a round; one that is not after the last one is a repeat."""
        head, content = _read(payload, _Round)
        verify_table(self.name, head.table)
        mark = (head.at, content.seq, content.n)
        if mark <= self._last_round:
            return False
        self._last_round = mark
        self.rounds[content.status] += 1
        return True


class Tables(latest.Tables[Table]):
    """All tables that sent a message.

    messages: how many came. unread: those that could not be read. ignored: those of tables beyond MOST_TABLES. listed:
    the tables that there are; messages in other names are counted in it.
    """

    def __init__(
        self,
        root: str = "shoe",
        clock: Callable[[], float] = monotonic,
        wall: Callable[[], float] = time,
        listed: Listed | None = None,
    ) -> None:
        super().__init__(root, TOPICS, MOST_TABLES, Table)
        self.listed = listed or Listed()
        self._clock, self._wall = clock, wall
        self.messages = self.unread = 0
        self._bad = Seldom(log.info, clock)

    def __iter__(self) -> Iterator[tuple[str, Table]]:
        """Yield name and table, in order of names."""
        return iter(sorted(self.tables.items()))

    @property
    def now(self) -> int:
        """The time by the clock of messages, in ms."""
        return round(1000 * self._clock())

    def handle(self, deliveries: Iterable[Delivery]) -> None:
        """Update the tables by messages; one that cannot be read is counted in `unread`."""
        for each in deliveries:
            self.messages += 1
            try:
                if not self.listed.takes(self.named(each.topic)[0]):
                    continue
                self.update(each.topic, each.body, each.retained, self.now, round(1000 * self._wall()))
            except MessageError as error:
                self.unread += 1
                self._bad.add(f"{escaped(each.topic[:200])}: {escaped(error.what[:200])}")
