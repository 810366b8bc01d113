"""Moves messages from a source into a store: commits a batch, acknowledges it, and publishes `stored`."""

import logging
import os
from collections.abc import Callable, Sequence
from itertools import islice
from math import inf
from time import monotonic
from typing import Final, NamedTuple

import msgspec
from msgspec import Struct

from firmware_bridge.client.payload import MessageError, command, state
from firmware_bridge.facts.printable import escaped, fault
from firmware_bridge.facts.wire import LONGEST, MOST, StateHead
from firmware_bridge.facts.wire_states import Status
from firmware_bridge.floor.record.ledger import EVER, Ledger
from firmware_bridge.floor.record.message import STREAMS, Key, Row, Unread, now, row
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.source import Delivery, Source
from firmware_bridge.floor.store import Saved, Store

log = logging.getLogger(__name__)

STATES: Final = ("status", "health")
"""Topics that say how far a table's journal goes."""

TOPICS: Final = (*STREAMS, *STATES, "reply")

LIVE: Final = ("health",)
"""Topics that are published at QoS 0; their latest message is enough."""

KEPT: Final = tuple(name for name in TOPICS if name not in LIVE)
"""Topics that the broker must keep every message of for us."""

LOOK_S: Final = 1.0
"""Time between two searches for gaps."""

ORDERS, TABLES_AN_ORDER = 5, 25
"""Most orders at each search; with many tables, one for each `TABLES_AN_ORDER` of them.

Repeats must leave room for new messages. What seems to be missing may only wait in the broker's queue, and an order to
every table at once would make that queue longer.
"""


def topics(root: str, names: Sequence[str] = TOPICS) -> tuple[str, ...]:
    """The filters that an ingest subscribes to, or those of these names."""
    return tuple(f"{root}/+/{name}" for name in names)


class Ingest:
    """Moves messages from a source into a store, each of any kind. The caller closes both.

    root: the first word of the topics. name: the `by` of its `stored`. clock: seconds, monotonic. names: replaces names
    of people, None to keep them.
    """

    def __init__(
        self,
        store: Store,
        source: Source,
        root: str = "shoe",
        name: str = "floor",
        clock: Callable[[], float] = monotonic,
        names: Names | None = None,
    ) -> None:
        self._names = names
        self._store, self._source, self._root, self._name, self._clock = store, source, root, name, clock
        self._ledger = Ledger(store.load, store.lacking())
        self._run, self._orders, self._looked = os.urandom(4).hex(), 0, -inf

    def save(self, deliveries: Sequence[Delivery]) -> Saved:
        """Commit a batch, acknowledge it, and publish `stored`. Raises StoreError, with nothing acknowledged.

        After a StoreError make another ingest: this one has counted messages that are not kept.
        """
        batch = _Batch([], [], {})
        for each in deliveries:
            self._read(each, batch)
        saved = Saved()
        if batch.rows or batch.unread:
            saved = self._store.save(batch.rows, batch.unread, list(self._ledger.changes()))
        self._source.acknowledge(deliveries)
        for key in batch.journals:
            if seq := self._ledger.stored(key):
                body = msgspec.json.encode({"journal": key.journal, "seq": seq, "by": self._name})
                self._source.publish(f"{self._root}/{key.table}/stored", body)
        self._ledger.forget_old()
        if saved.conflicts or batch.unread:
            log.error("%d messages in conflict, %d in quarantine", saved.conflicts, len(batch.unread))
        return saved

    def ask(self) -> int:
        """Ask tables for what is missing, a few at a time; returns how many orders were sent."""
        now = self._clock()
        if now - self._looked < LOOK_S:
            return 0
        self._looked, before = now, self._orders
        most = max(ORDERS, self._ledger.tables // TABLES_AN_ORDER)
        for table, order in islice(self._ledger.due(now), most):
            self._orders += 1
            wanted = (
                f"entries {order.start} to {order.to} of {order.journal}"
                if order.journal
                else f"everything since {order.since}"
            )
            log.info("asked table %s for %s", escaped(table), escaped(wanted))
            payload = command(order, f"{self._id_of(order.since)}{self._orders}")
            self._source.publish(f"{self._root}/{table}/command", payload)
        return self._orders - before

    def _id_of(self, since: str | None) -> str:
        """The prefix of the ids of this run's orders."""
        return f"{self._name[:32]}-{self._run}-{'since' if since else 'gap'}-"

    def _answered(self, table: str, body: bytes) -> None:
        """Handle the answer to an order of this run; `reply` also has answers to other clients."""
        try:
            answer = msgspec.json.decode(body, type=_Reply)
        except (msgspec.MsgspecError, ValueError):
            return
        if answer.id.startswith(self._id_of(EVER)):
            self._ledger.answered(table, ok=answer.ok)
        if answer.id.startswith(f"{self._name[:32]}-{self._run}-") and not answer.ok:
            log.warning("table %s refuses to send again: %s; %s", *map(escaped, (table, answer.error, answer.hint)))

    def _read(self, delivery: Delivery, batch: "_Batch") -> None:
        """Decode a delivery, and add it to the batch and the ledger."""
        *_, table, topic = ("", "", *delivery.topic.removeprefix(self._root).split("/"))
        if topic == "reply":
            self._answered(table, delivery.body)
            return
        if topic in STATES:
            self._heard(topic, table, delivery.body, batch)
            return
        try:
            found = row(topic, table, delivery.body, now())
            self._ledger.add(found)
        except MessageError as error:
            unread = Unread(escaped(delivery.topic), now(), escaped(error.what), delivery.body)
            batch.unread.append(self._names.unread(unread) if self._names else unread)
            return
        batch.rows.append(self._names.row(found) if self._names else found)
        batch.journals[found.key] = None

    def _heard(self, topic: str, table: str, body: bytes, batch: "_Batch") -> None:
        """Record how far a journal goes; a payload that is no state, or is empty, is ignored."""
        try:
            if topic == "status":
                head, status = state(body, Status)
                seq = status.next_seq - 1
            else:
                (head, _), seq = state(body, StateHead), 0
                seq = head.as_of
        except MessageError:
            return
        if head.table != table or not head.journal or not 0 < seq <= MOST or not 0 <= head.shoe <= MOST:
            return
        if fault(table, LONGEST) or fault(head.journal, LONGEST):
            return
        key = Key(table, head.journal)
        self._ledger.reach(key, head.shoe, seq)
        if topic == "status":
            batch.journals[key] = None


class _Reply(Struct, frozen=True):
    """The fields of an answer that the ingest reads."""

    id: str
    ok: bool
    error: str = ""
    hint: str = ""


class _Batch(NamedTuple):
    """Rows to commit, quarantine, and the journals to publish `stored` for."""

    rows: list[Row]
    unread: list[Unread]
    journals: dict[Key, None]
