"""Takes messages from a source into a store: a batch, a commit, the acknowledgement, and `stored` to the tables."""

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
"""Topics that say how far a table's journal has come."""

TOPICS: Final = (*STREAMS, *STATES, "reply")

LIVE: Final = ("health",)
"""Topics whose latest message is enough; tables say them at QoS 0."""

KEPT: Final = tuple(name for name in TOPICS if name not in LIVE)
"""Topics whose every message the broker has to keep for us."""

LOOK_S: Final = 1.0
"""How often gaps are looked for."""

ORDERS, TABLES_AN_ORDER = 5, 25
"""Orders for what is missing at most at each look, and of how many tables each may be one where they are many.

What a whole floor sends again leaves room for what it says anew; and what seems to be missing may only wait in the
broker's queue: asked of all tables at once it would make that longer.
"""


def topics(root: str, names: Sequence[str] = TOPICS) -> tuple[str, ...]:
    """What an ingest subscribes to, or those of these names."""
    return tuple(f"{root}/+/{name}" for name in names)


class Ingest:
    """Takes what a source brings into a store; both may be of any kind, and are the caller's to close.

    root: the first word of the topics. name: the receiver as the tables know it. clock: seconds, monotonic. names:
    what replaces names of people, None to keep them.
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
        """Commit a batch, acknowledge it, and say `stored`. Raises StoreError: then nothing is acknowledged.

        After a StoreError make another ingest: this one counts messages that are not kept.
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
            log.error("%d messages in conflict, %d into quarantine", saved.conflicts, len(batch.unread))
        return saved

    def ask(self) -> int:
        """Ask tables for what is missing, where it is time to, a few at a time; how many orders were sent."""
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
                else f"all since {order.since}"
            )
            log.info("table %s: asked for %s", escaped(table), escaped(wanted))
            payload = command(order, f"{self._id_of(order.since)}{self._orders}")
            self._source.publish(f"{self._root}/{table}/command", payload)
        return self._orders - before

    def _id_of(self, since: str | None) -> str:
        """How the ids of this run's orders begin."""
        return f"{self._name[:32]}-{self._run}-{'since' if since else 'gap'}-"

    def _answered(self, table: str, body: bytes) -> None:
        """Note the answer to an order of this run; `reply` has everybody's."""
        try:
            answer = msgspec.json.decode(body, type=_Reply)
        except (msgspec.MsgspecError, ValueError):
            return
        if answer.id.startswith(self._id_of(EVER)):
            self._ledger.answered(table, ok=answer.ok)
        if answer.id.startswith(f"{self._name[:32]}-{self._run}-") and not answer.ok:
            log.warning("table %s does not send again: %s; %s", *map(escaped, (table, answer.error, answer.hint)))

    def _read(self, delivery: Delivery, batch: "_Batch") -> None:
        """Put a delivery where it belongs, and note it in the ledger."""
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
        """Note how far a journal has come; a state that is none, or an emptied topic, says nothing."""
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
    """As much of an answer as is looked at."""

    id: str
    ok: bool
    error: str = ""
    hint: str = ""


class _Batch(NamedTuple):
    """What came, sorted; told: the journals to say `stored` for."""

    rows: list[Row]
    unread: list[Unread]
    journals: dict[Key, None]
