"""Puts what a whole floor sends into batches, counts what is stored, and asks for what is missing; no connection."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Final

import msgspec
from msgspec import Struct

from firmware_bridge.client.arrived import Arrived
from firmware_bridge.client.items import Item, Received, Refused, Stream, Told, Unreadable
from firmware_bridge.client.payload import MessageError
from firmware_bridge.facts.orders import Answer, Resend
from firmware_bridge.facts.wire import EventMessage, RoundMessage, Stored

FIRST_S: Final = 1.0
LONGEST_S: Final = 60.0
"""The first and the longest back-off of a table whose batch was not stored; it doubles."""

LONGEST_ASK_S: Final = 300.0
"""The longest wait before a gap is asked for again; it doubles from the reader's own wait."""

KNOWN: Final = "give the bytes of what was `Received`, as they came"

MOST_HELD: Final = 10_000
"""Items of one table that wait at most; what comes beyond is asked for again later."""

Ticket = tuple[int, int]
"""What the broker is told once a message needs no more to be sent again."""


class _Pending(Struct):
    item: Item
    tickets: list[Ticket]


class _Gap(Struct):
    due: float
    asked: int = 0


class _Status(Struct):
    journal: str
    next_seq: int


class _Table(Struct):
    arrived: Arrived
    pending: dict[bytes, _Pending] = {}
    out: int = 0
    failures: int = 0
    ready_at: float = 0.0
    gaps: dict[tuple[str | None, int | None], _Gap] = {}
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
        self._asked: dict[str, tuple[str, Resend]] = {}
        self._run, self._orders = secrets.token_hex(8), 0
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

    def take(self, name: str, topic: Stream, raw: bytes, ticket: Ticket | None, now: float) -> None:
        """A message from the broker. A ticket goes to `done` once the message needs no more to be sent again."""
        table, key = self._table(name), sha256(topic.encode() + raw).digest()
        tickets = [ticket] if ticket else []
        if waits := table.pending.get(key):
            waits.tickets += tickets
        elif len(table.pending) >= MOST_HELD:
            self.done += tickets
        elif (item := table.arrived.take(topic, raw)) is None:
            self.done += tickets
            table.say.add(msgspec.json.decode(raw, type=_Named).journal)  # the table does not know that it is stored
        else:
            table.pending[key] = _Pending(item, tickets)
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
        table.arrived.reaches(status.journal, status.next_seq)
        table.say.add(status.journal)
        table.look_at = min(table.look_at or now + self._wait_s, now + self._wait_s)

    def answer(self, raw: bytes) -> None:
        """An answer on a table's topic `reply`; one to somebody else is left alone."""
        try:
            answer = msgspec.json.decode(raw, type=Answer)
        except (msgspec.MsgspecError, ValueError):
            return
        name, asked = self._asked.pop(answer.id or "", (None, None))
        if name is None or asked is None:
            return
        table = self._tables[name]
        if answer.ok:
            table.arrived.answered(asked)
            return
        why = f"{answer.error}; {answer.hint}" if answer.hint else f"{answer.error}"
        final = "not on this disk" in (answer.error or "")
        if final and asked.journal:
            table.arrived.forget(asked.journal)
        item = Refused(name, asked, why, final)
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
        """The gaps that did not close by themselves in time, as orders; each again after a longer and longer wait."""
        for name, table in self._tables.items():
            if table.look_at is None or table.look_at > now:
                continue
            gaps = {(gap.journal, gap.to): gap for gap in table.arrived.gaps()}
            table.gaps = {key: table.gaps.get(key) or _Gap(now + self._wait_s) for key in gaps}
            for key, gap in table.gaps.items():
                if gap.due <= now and len(table.pending) < MOST_HELD:
                    gap.asked += 1
                    gap.due = now + min(LONGEST_ASK_S, self._wait_s * 2.0 ** min(gap.asked, 16))
                    yield self._told(name, gaps[key])
            table.look_at = min((each.due for each in table.gaps.values()), default=None)
            if not table.gaps:
                waits = {
                    each.item.message.journal for each in table.pending.values() if isinstance(each.item, Received)
                }
                for journal, seq in table.arrived.forget_old(waits):
                    table.said[journal] = max(seq, table.said.get(journal, 0))

    def next_at(self) -> float | None:
        """When there is something to do though nothing comes; None for never."""
        looks = [each.look_at for each in self._tables.values() if each.look_at is not None]
        return min([*looks, *(each.ready_at for each in self._tables.values() if each.pending)], default=None)

    def _told(self, name: str, gap: Resend) -> Told:
        self._orders += 1
        told = Told(name, gap, f"{self._run}-{self._orders}")
        self._asked[told.id] = (name, gap)
        while len(self._asked) > MOST_HELD:
            del self._asked[next(iter(self._asked))]
        return told

    def _release(self, table: _Table) -> None:
        """Let the broker go on with others: what this table holds is asked for again if we die."""
        for each in table.pending.values():
            self.done += each.tickets
            each.tickets = []

    def _table(self, name: str) -> _Table:
        return self._tables.setdefault(name, _Table(Arrived(name, events=self.events)))


def _waiting(table: _Table) -> list[EventMessage | RoundMessage]:
    """The messages of a table that are not stored."""
    return [each.item.message for each in table.pending.values() if isinstance(each.item, Received)]


class _Named(Struct):
    journal: str


class _Known(Struct):
    table: str
    event: dict[str, object] | None = None
