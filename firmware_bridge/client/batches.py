"""Batches the messages of a whole floor, counts what is stored and orders what is missing, without a connection."""

import secrets
from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import count
from typing import Final

from msgspec import Struct

from firmware_bridge.client.asking import Gaps, Tail
from firmware_bridge.client.ledger import TableLedger
from firmware_bridge.client.messages import Item, Received, Refused, Stream, TableOrder, Unsigned
from firmware_bridge.client.payload import MessageError, stored_message
from firmware_bridge.client.round_keys import RoundKeys
from firmware_bridge.facts.decoding import Undecodable, from_json
from firmware_bridge.facts.orders import NOT_YET, Answer, Resend
from firmware_bridge.facts.wire import EventMessage, RoundMessage, Stored
from firmware_bridge.mqtt.backoff import Doubling
from firmware_bridge.mqtt.settings import Ticket

MOST_AWAITED: Final = 10_000
"""Most orders that wait for an answer; the oldest are given up."""

FIRST_S: Final = 1.0
LONGEST_S: Final = 60.0
"""First and longest back-off of a table after a batch that was not stored; it doubles."""

KNOWN: Final = "pass the `raw` bytes of each `Received`, unchanged"

MOST_HELD: Final = 10_000
"""Most items of one table that wait; later ones are dropped and asked for again."""


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
    ledger: TableLedger
    gaps: "Gaps"
    tail: "Tail"
    again: Doubling
    pending: dict[bytes, _Pending] = {}
    out: int = 0
    has_failed: bool = False
    ready_at: float = 0.0
    look_at: float | None = None
    published: dict[str, int] = {}
    unpublished: set[str] = set()


class Batches:
    """All tables of a floor, from bytes to batches. Times are seconds of any one monotonic clock.

    by: the receiver's name. events: whether the topic `event` is read too; set before the first message. wait_s: how
    long a gap may close by itself before it is asked for; with a cluster longer than it takes to redeliver what was
    not acknowledged. keys: those that must have signed rounds, None to take any. is_gated: messages come from a `Gate`,
    later than a `status` says.
    """

    def __init__(self, by: str, wait_s: float, keys: RoundKeys | None = None, *, is_gated: bool = False) -> None:
        self.events, self._is_gated = False, is_gated
        self._keys = keys
        self._by, self._wait_s = by, wait_s
        self._tables: dict[str, _Table] = {}
        self._orders = PendingOrders()
        self.done: list[Ticket] = []
        self.forgotten: list[tuple[str, str]] = []
        """(table, journal) of which nothing will be asked, not stored as such yet."""

    def load(self, known: Iterable[bytes], forgotten: Iterable[tuple[str, str]], now: float) -> None:
        """Load what is stored already. forgotten: (table, journal) of which nothing is asked.

        Raises MessageError for a payload that is no message.
        """
        for name, journal in forgotten:
            self._table(name).ledger.forget(journal)
        for raw in map(bytes, known):
            try:
                message = stored_message(raw)
            except MessageError as error:
                raise MessageError(f"a payload in `known` is {error.what}", KNOWN) from None
            table = self._table(message.table)
            table.ledger.load(message, raw)
            table.look_at = now + self._wait_s

    def connected(self) -> None:
        """Handle each reconnect."""
        for table in self._tables.values():
            table.tail.connected()

    def handle(
        self, name: str, topic: Stream, raw: bytes, ticket: Ticket | None, now: float, unsigned: str = ""
    ) -> None:
        """Handle a message from the broker. Its ticket goes to `done` once the broker may forget the message.

        unsigned: why it is a round that does not count.
        """
        table, key = self._table(name), sha256(topic.encode() + raw).digest()
        tickets = [ticket] if ticket else []
        if waits := table.pending.get(key):
            waits.tickets += tickets
        elif len(table.pending) >= MOST_HELD:
            self.done += tickets
            table.tail.dropped(now)
        elif topic == "round" and (why := unsigned or (self._keys.wrong(name, raw) if self._keys else "")):
            # It is not counted: its place belongs to the message that the table signs.
            table.pending[key] = _Pending(Unsigned(name, topic, raw, why), tickets)
        elif (item := table.ledger.receive(topic, raw)) is None:
            self.done += tickets
            journal = from_json(raw, _Named).journal
            table.unpublished.add(journal)  # so that the table learns that it is stored
        else:
            table.pending[key] = _Pending(item, tickets)
            table.tail.came(now)
            table.look_at = min(table.look_at or now + self._wait_s, now + self._wait_s)
        if table.has_failed:
            self._release(table)

    def status(self, name: str, raw: bytes, now: float) -> None:
        """Handle a message of the topic `status`: how far the table's journal goes."""
        try:
            status = from_json(raw, _Status)
        except Undecodable:
            return
        table = self._table(name)
        if self._is_gated:
            table.unpublished.add(status.journal)
            return
        table.ledger.reaches(status.journal, status.next_seq, status.shoe)
        table.tail.status((status.boot, status.link), now)
        table.unpublished.add(status.journal)
        table.look_at = min(table.look_at or now + self._wait_s, now + self._wait_s)

    def answer(self, raw: bytes) -> None:
        """Handle a message of the topic `reply`; answers to other clients are ignored."""
        try:
            answer = from_json(raw, Answer)
        except Undecodable:
            return
        if answer.code == NOT_YET or (sent := self._orders.answered(answer.id)) is None:
            return
        asked, table = sent.order, self._tables[sent.table]
        if answer.ok:
            table.ledger.answered(asked)
            table.tail.answered(asked)
            return
        words = answer.error or answer.code or ""
        why = f"{words}; {answer.hint}" if answer.hint else words
        final = answer.code == "not_on_disk" or "not on this disk" in (answer.error or "")
        if final and asked.journal:
            table.ledger.forget(asked.journal)
            self.forgotten.append((sent.table, asked.journal))
        item = Refused(sent.table, asked, why, final)
        table.pending.setdefault(repr(item).encode(), _Pending(item, []))

    def batch(self, now: float, most: int, *, together: bool) -> dict[str, list[Item]]:
        """Return the items to store next, by table; empty if nothing waits. The table that waited longest comes first.

        together: of several tables at once; a table comes alone after a batch of it was not stored.
        """
        batch: dict[str, list[Item]] = {}
        for name in list(self._tables):
            table = self._tables[name]
            if not table.pending or table.ready_at > now or (batch and table.has_failed):
                continue
            items = [each.item for each in table.pending.values()][:most]
            table.out, most = len(items), most - len(items)
            batch[name] = items
            self._tables[name] = self._tables.pop(name)
            if not together or table.has_failed or not most:
                break
        return batch

    def waiting(self, name: str) -> int:
        """Return the number of items of a table behind the current batch."""
        return len(self._tables[name].pending) - self._tables[name].out

    def has_room(self, name: str) -> bool:
        """Return whether another item of a table can wait."""
        return len(self._table(name).pending) < MOST_HELD

    def ask(self, name: str, order: Resend) -> TableOrder:
        """Return an order to a table; if it refuses, that comes as an item."""
        self._table(name)
        return self._orders.create(name, order)

    def stored(self, batch: dict[str, list[Item]]) -> None:
        """Mark all of a batch as committed, with what was forgotten."""
        self.forgotten.clear()
        for name in batch:
            table = self._tables[name]
            for key in list(table.pending)[: table.out]:
                self.done += table.pending.pop(key).tickets
            table.out, table.has_failed = 0, False
            table.again.reset()
            table.unpublished |= {each.message.journal for each in batch[name] if isinstance(each, Received)}

    def failed(self, batch: dict[str, list[Item]], now: float) -> None:
        """Put back a batch that was not stored: it comes again after a back-off of 1 s to 1 min."""
        for name in batch:
            table = self._tables[name]
            table.ready_at = now + table.again.s
            table.again.longer()
            table.out, table.has_failed = 0, True
            self._release(table)

    def due_reports(self) -> Iterator[tuple[str, Stored]]:
        """Yield the `stored` reports to publish, by table, if events are read. Older journals are complete then."""
        for name, table in self._tables.items():
            if not self.events:
                table.unpublished.clear()
            unsaved = {each.journal for each in _waiting(table)} if table.unpublished else set()
            for journal in sorted(table.unpublished):
                if table.ledger.lacks_older(journal, unsaved):
                    continue
                table.unpublished.discard(journal)
                first = min((each.seq for each in _waiting(table) if each.journal == journal), default=None)
                seq = max(table.ledger.stored_up_to(journal, first), table.published.get(journal, 0))
                if seq:
                    table.published[journal] = seq
                    yield name, Stored(journal=journal, seq=seq, by=self._by)

    def due_orders(self, now: float) -> Iterator[TableOrder]:
        """Yield the orders for what is missing and did not come by itself in time (`Gaps`, `Tail`)."""
        for name, table in self._tables.items():
            if table.look_at is None or table.look_at > now:
                continue
            if len(table.pending) >= MOST_HELD:
                table.look_at = now + self._wait_s
                continue
            for gap in table.gaps.due(table.ledger.gaps(), now):
                yield self._orders.create(name, gap)
            if end := table.tail.order(table.ledger.tail(), now):
                yield self._orders.create(name, end)
            table.look_at = min((at for at in (table.gaps.at, table.tail.at) if at is not None), default=None)
            if table.gaps.at is None:
                for journal, seq in table.ledger.forget_old({each.journal for each in _waiting(table)}):
                    table.published[journal] = max(seq, table.published.get(journal, 0))
                    self.forgotten.append((name, journal))

    def next_at(self) -> float | None:
        """Return when to look again even if nothing comes; None for never."""
        looks = [each.look_at for each in self._tables.values() if each.look_at is not None]
        return min([*looks, *(each.ready_at for each in self._tables.values() if each.pending)], default=None)

    def _release(self, table: _Table) -> None:
        """Acknowledge what this table holds, so that others are served; after a crash it is asked for again."""
        for each in table.pending.values():
            self.done += each.tickets
            each.tickets = []

    def _table(self, name: str) -> _Table:
        if name not in self._tables:
            ledger, wait_s = TableLedger(name, events=self.events), self._wait_s
            self._tables[name] = _Table(ledger, Gaps(wait_s), Tail(wait_s), Doubling(FIRST_S, LONGEST_S))
        return self._tables[name]


class PendingOrders:
    """Orders without an answer yet. Their ids begin with 16 random hex digits of this run."""

    def __init__(self) -> None:
        self._run, self._count = secrets.token_hex(8), count(1)
        self._awaited: dict[str, TableOrder] = {}

    def create(self, table: str, gap: Resend) -> TableOrder:
        """Return a new order for what is missing, with an id of its own."""
        order = TableOrder(table, gap, f"{self._run}-{next(self._count)}")
        self._awaited[order.id] = order
        while len(self._awaited) > MOST_AWAITED:
            del self._awaited[next(iter(self._awaited))]
        return order

    def answered(self, id: str | None) -> TableOrder | None:
        """Return the order with this id, no longer awaited; None for another client's id."""
        return self._awaited.pop(id or "", None)


def _waiting(table: _Table) -> list[EventMessage | RoundMessage]:
    """Return the messages of a table that are not stored."""
    return [each.item.message for each in table.pending.values() if isinstance(each.item, Received)]


class _Named(Struct):
    journal: str
