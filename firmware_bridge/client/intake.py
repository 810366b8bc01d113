"""Puts what a whole floor sends into batches, counts what is stored, and asks for what is missing; no connection."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct

from firmware_bridge.client.arrived import Arrived
from firmware_bridge.client.asking import Gaps, Given, Tail
from firmware_bridge.client.items import Item, Received, Refused, Stream, Told, Unreadable
from firmware_bridge.client.payload import MessageError
from firmware_bridge.facts.orders import Answer
from firmware_bridge.facts.wire import EventMessage, RoundMessage, Stored

FIRST_S: Final = 1.0
LONGEST_S: Final = 60.0
"""The first and the longest back-off of a table whose batch was not stored; it doubles."""

KNOWN: Final = "give the bytes of what was `Received`, as they came"

MOST_HELD: Final = 10_000
"""Items of one table that wait at most; what comes beyond is asked for again later."""

Ticket = tuple[int, int]
"""What the broker is told once a message needs no more to be sent again."""


class _Pending(Struct):
    item: Item
    tickets: list[Ticket]


class _Status(Struct):
    journal: str
    next_seq: int
    shoe: int = 0
    boot: str = ""
    link: int = 0


class _Table(Struct):
    arrived: Arrived
    gaps: Gaps
    tail: Tail
    pending: dict[bytes, _Pending] = {}
    out: int = 0
    failures: int = 0
    ready_at: float = 0.0
    look_at: float | None = None
    said: dict[str, int] = {}
    say: set[str] = set()


class Intake:
    """All tables of a floor, from bytes to batches. Times are seconds of any one monotonic clock.

    by: the receiver's name. events: whether the topic `event` is read too, set before the first message. wait_s: how
    long a gap may close by itself before it is asked for; behind a broker of several nodes longer than it takes to
    send again what was not acknowledged.
    """

    def __init__(self, by: str, wait_s: float) -> None:
        self.events = False
        self._by, self._wait_s = by, wait_s
        self._tables: dict[str, _Table] = {}
        self._given = Given()
        self.done: list[Ticket] = []

    def know(self, known: Iterable[bytes], forgotten: Iterable[tuple[str, str]], now: float) -> None:
        """Take what was stored before as come and stored. forgotten: (table, journal) of which nothing is asked.

        Raises MessageError for what is no message.
        """
        for name, journal in forgotten:
            self._table(name).arrived.forget(journal)
        for raw in map(bytes, known):
            try:
                head = msgspec.json.decode(raw, type=_Known)
            except (msgspec.MsgspecError, ValueError) as error:
                raise MessageError(f"a known payload is no message: {error}", KNOWN) from None
            table = self._table(head.table)
            item = table.arrived.take("round" if head.event is None else "event", raw)
            if isinstance(item, Unreadable):
                raise MessageError(f"a known payload is no message: {item.why}", KNOWN)
            table.look_at = now + self._wait_s

    def connected(self) -> None:
        """The broker let us in anew."""
        for table in self._tables.values():
            table.tail.connected()

    def take(self, name: str, topic: Stream, raw: bytes, ticket: Ticket | None, now: float) -> None:
        """A message from the broker. A ticket goes to `done` once the message needs no more to be sent again."""
        table, key = self._table(name), sha256(topic.encode() + raw).digest()
        tickets = [ticket] if ticket else []
        if waits := table.pending.get(key):
            waits.tickets += tickets
        elif len(table.pending) >= MOST_HELD:
            self.done += tickets
            table.tail.dropped(now)
        elif (item := table.arrived.take(topic, raw)) is None:
            self.done += tickets
            table.say.add(msgspec.json.decode(raw, type=_Named).journal)  # the table does not know that it is stored
        else:
            table.pending[key] = _Pending(item, tickets)
            table.tail.came(now)
            table.look_at = min(table.look_at or now + self._wait_s, now + self._wait_s)
        if table.failures:
            self._release(table)

    def status(self, name: str, raw: bytes, now: float) -> None:
        """A table's state: how far its journal goes."""
        try:
            status = msgspec.json.decode(raw, type=_Status)
        except (msgspec.MsgspecError, ValueError):
            return
        table = self._table(name)
        table.arrived.reaches(status.journal, status.next_seq, status.shoe)
        table.tail.said((status.boot, status.link), now)
        table.say.add(status.journal)
        table.look_at = min(table.look_at or now + self._wait_s, now + self._wait_s)

    def answer(self, raw: bytes) -> None:
        """An answer on a table's topic `reply`; one to somebody else is left alone."""
        try:
            answer = msgspec.json.decode(raw, type=Answer)
        except (msgspec.MsgspecError, ValueError):
            return
        told = self._given.answered(answer.id)
        if told is None:
            return
        asked, table = told.order, self._tables[told.table]
        if answer.ok:
            table.arrived.answered(asked)
            table.tail.answered(asked)
            return
        why = f"{answer.error}; {answer.hint}" if answer.hint else f"{answer.error}"
        final = "not on this disk" in (answer.error or "")
        if final and asked.journal:
            table.arrived.forget(asked.journal)
        item = Refused(told.table, asked, why, final)
        table.pending.setdefault(repr(item).encode(), _Pending(item, []))

    def batch(self, now: float, most: int, *, together: bool) -> dict[str, list[Item]]:
        """What is to be stored next, by table; empty where nothing waits.

        together: of several tables at once; a table whose last batch was not stored comes alone even then. The table
        that waited longest comes first.
        """
        batch: dict[str, list[Item]] = {}
        for name in list(self._tables):
            table = self._tables[name]
            if not table.pending or table.ready_at > now or (batch and table.failures):
                continue
            items = [each.item for each in table.pending.values()][:most]
            table.out, most = len(items), most - len(items)
            batch[name] = items
            self._tables[name] = self._tables.pop(name)
            if not together or table.failures or not most:
                break
        return batch

    def stored(self, batch: dict[str, list[Item]]) -> None:
        """All of a batch is committed."""
        for name in batch:
            table = self._tables[name]
            for key in list(table.pending)[: table.out]:
                self.done += table.pending.pop(key).tickets
            table.out = table.failures = 0
            table.say |= {each.message.journal for each in batch[name] if isinstance(each, Received)}

    def failed(self, batch: dict[str, list[Item]], now: float) -> None:
        """A batch was left without being stored: it comes again, after a back-off of 1 s to 1 min."""
        for name in batch:
            table = self._tables[name]
            table.ready_at = now + min(LONGEST_S, FIRST_S * 2.0**table.failures)
            table.failures, table.out = min(table.failures + 1, 16), 0
            self._release(table)

    def says(self) -> Iterator[tuple[str, Stored]]:
        """What is to be said of what is stored, where events are read too; all journals before it are whole then."""
        for name, table in self._tables.items():
            if not self.events:
                table.say.clear()
            unsaved = {each.journal for each in _waiting(table)} if table.say else set()
            for journal in sorted(table.say):
                if table.arrived.lacks_older(journal, unsaved):
                    continue
                table.say.discard(journal)
                first = min((each.seq for each in _waiting(table) if each.journal == journal), default=None)
                seq = max(table.arrived.stored_up_to(journal, first), table.said.get(journal, 0))
                if seq:
                    table.said[journal] = seq
                    yield name, Stored(journal=journal, seq=seq, by=self._by)

    def asks(self, now: float) -> Iterator[Told]:
        """What is missing and did not come by itself in time (asking.py), as orders."""
        for name, table in self._tables.items():
            if table.look_at is None or table.look_at > now:
                continue
            if len(table.pending) >= MOST_HELD:
                table.look_at = now + self._wait_s
                continue
            for gap in table.gaps.due(table.arrived.gaps(), now):
                yield self._given.told(name, gap)
            if end := table.tail.order(table.arrived.tail(), now):
                yield self._given.told(name, end)
            table.look_at = min((at for at in (table.gaps.at, table.tail.at) if at is not None), default=None)
            if table.gaps.at is None:
                for journal, seq in table.arrived.forget_old({each.journal for each in _waiting(table)}):
                    table.said[journal] = max(seq, table.said.get(journal, 0))

    def next_at(self) -> float | None:
        """When there is something to do though nothing comes; None for never."""
        looks = [each.look_at for each in self._tables.values() if each.look_at is not None]
        return min([*looks, *(each.ready_at for each in self._tables.values() if each.pending)], default=None)

    def _release(self, table: _Table) -> None:
        """Let the broker go on with others: what this table holds is asked for again if we die."""
        for each in table.pending.values():
            self.done += each.tickets
            each.tickets = []

    def _table(self, name: str) -> _Table:
        if name not in self._tables:
            arrived = Arrived(name, events=self.events)
            self._tables[name] = _Table(arrived, Gaps(self._wait_s), Tail(self._wait_s))
        return self._tables[name]


def _waiting(table: _Table) -> list[EventMessage | RoundMessage]:
    """The messages of a table that are not stored."""
    return [each.item.message for each in table.pending.values() if isinstance(each.item, Received)]


class _Named(Struct):
    journal: str


class _Known(Struct):
    table: str
    event: dict[str, object] | None = None
