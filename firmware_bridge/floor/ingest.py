"""Moves messages from a source into a store: commits a batch, acknowledges it, and publishes `stored`."""

import logging
import os
from collections.abc import Callable, Mapping, Sequence
from math import inf
from time import monotonic
from typing import Any, Final, NamedTuple

import msgspec
from msgspec import Struct

from firmware_bridge.client.payload import MessageError, command, state
from firmware_bridge.client.signing import Signing
from firmware_bridge.facts.bounds import MOST
from firmware_bridge.facts.decoding import Undecodable, from_json
from firmware_bridge.facts.orders import NOT_YET, Resend
from firmware_bridge.facts.printable import escaped, fault
from firmware_bridge.facts.wire import LONGEST
from firmware_bridge.facts.wire_states import NO_RECORD, Alarms, Status
from firmware_bridge.floor.listed import Listed
from firmware_bridge.floor.record.ledger import LEAST, Ledger, is_for_all
from firmware_bridge.floor.record.message import STREAMS, Key, Unread, now, row
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.record.quota import Quarantine
from firmware_bridge.floor.record.state import OTHERS, Changes, Incident
from firmware_bridge.floor.seldom import Seldom
from firmware_bridge.floor.source import Delivery, Source
from firmware_bridge.floor.store import Saved, Store
from firmware_bridge.floor.store.condition import Heartbeat
from firmware_bridge.floor.verified.records import Limits, Records
from firmware_bridge.topics.texts.refusals import words

log = logging.getLogger(__name__)

STATES: Final = ("status", "health")
"""Topics that say how far a table's journal goes."""

ALARM: Final = "alarm"
"""Topic of what a table itself finds wrong with its record."""

TOPICS: Final = (*STREAMS, *STATES, ALARM, "reply")

LIVE: Final = ("health", ALARM)
"""Topics of which the latest message is enough."""

KEPT: Final = tuple(name for name in TOPICS if name not in LIVE)
"""Topics that the broker must keep every message of for us."""

LOOK_S: Final = 1.0
"""Time between two searches for gaps."""

STORED_S: Final = 2.0
"""Time between two `stored` of a table while the ingest is behind: each costs more than the message that it is for."""

BEAT_S: Final = 5.0
"""Time between two heartbeats of an ingest."""

COUNTED_S: Final = 15.0
"""Time between two counts of what is not kept."""

IN_MIND: Final = 10_000
"""Most orders that an answer is awaited for."""


def topics(root: str, names: Sequence[str] = TOPICS) -> tuple[str, ...]:
    """Return the filters that an ingest subscribes to, or those of these names."""
    return tuple(f"{root}/+/{name}" for name in names)


class Ingest:
    """Moves messages from a source into a store, each of any kind. The caller closes both.

    root: the first word of the topics. name: the `by` of its `stored`. clock: seconds, monotonic. names: replaces names
    of people, None to keep them. limits: table -> what `[tables]` sets; with any of them there are no other tables, but
    those with an enrolled key. signing: signs what it sends to tables. session: the name of its heartbeat.
    """

    def __init__(
        self,
        store: Store,
        source: Source,
        root: str = "shoe",
        name: str = "floor",
        clock: Callable[[], float] = monotonic,
        names: Names | None = None,
        limits: Mapping[str, Limits] | None = None,
        signing: Signing | None = None,
        session: str = "shoe-floor-ingest",
    ) -> None:
        self._signing = signing
        self._heartbeat, self._beaten = Heartbeat(session, ""), -inf
        self._names = names
        self._store, self._source, self._root, self._name, self._clock = store, source, root, name, clock
        self._ledger = Ledger(store.load, store.lacking())
        self._records = Records(store, names.row if names else lambda row: row, limits)
        self._listed = Listed(limits or (), (each.table for each in store.record_keys() if each.was_enrolled))
        self._counted, self._counted_s = 0, -inf
        self._quarantine = Quarantine()
        self._odd, self._refusals = Seldom(log.error, clock), Seldom(log.warning, clock)
        self._run, self._orders, self._looked = os.urandom(4).hex(), 0, -inf
        self._asked: dict[str, Key] = {}
        self._due, self._published_s = dict[Key, None](), -inf

    def save(self, deliveries: Sequence[Delivery], *, is_behind: bool = False) -> Saved:
        """Commit a batch, acknowledge it, and publish `stored`. Raises StoreError, with nothing acknowledged.

        is_behind: more waits to be saved, and `stored` is published by `ask`, every `STORED_S` alone.
        After a StoreError make another ingest: this one has counted messages that are not kept.
        """
        batch = _Batch(now(), [], {})
        for each in deliveries:
            self._read(each, batch)
        saved = self._commit(batch)
        self._source.acknowledge(deliveries)
        if batch.journals or batch.unread:
            at = now()
            self._heartbeat = self._heartbeat._replace(committed_at=at, message_at=at)
        self._due |= dict.fromkeys(batch.journals)
        if not is_behind:
            self._publish_due()
        if saved.conflicts or batch.unread:
            what = f"{saved.conflicts} messages in conflict, {len(batch.unread)} in quarantine"
            self._odd.add(what, saved.conflicts + len(batch.unread))
        return saved

    def _commit(self, batch: "_Batch") -> Saved:
        """Commit what came, and what the records of the tables made of it."""
        rows, chained, changes = self._records.collect()
        self._count_surplus(changes)
        for each in chained:
            self._ledger.add(each)
        saved, progress = Saved(), list(self._ledger.changes())
        if rows or batch.unread or changes or progress:
            saved = self._store.save(rows, batch.unread, progress, changes)
        for found in changes.incidents.values():
            log.error("table %s: %s: %s", escaped(found.table), found.kind, found.text)
        if saved.conflicts:
            self._records.clash(self._store.differing(rows))
            self._store.put_incidents(tuple(self._records.collect().changes.incidents.values()))
        return saved

    def _count_surplus(self, changes: Changes) -> None:
        """Record now and then how much came in other names, or beyond what the quarantine takes."""
        now_s, count = self._clock(), self._listed.strangers
        if now_s - self._counted_s < COUNTED_S or (count == self._counted and not self._quarantine.floods):
            return
        if count > self._counted:
            found = Incident(OTHERS, "unlisted", (at := now())[:10], at, self._listed.text)
            changes.incidents[found[:3]] = found
        changes.incidents |= self._quarantine.floods
        self._counted, self._counted_s, self._quarantine.floods = count, now_s, {}

    def _publish_due(self) -> None:
        """Publish `stored` of each journal that got more since the last time."""
        self._published_s = self._clock()
        for key in self._due:
            self._publish_stored(key)
        self._due.clear()
        self._ledger.forget_old()

    def _publish_stored(self, key: Key) -> None:
        at, head, checkpoint = self._records.stored(key.table, key.journal, self._ledger.stored(key))
        if at.seq:
            proofs = {"head": head, "checkpoint": checkpoint}
            known = {name: proof for name, proof in proofs.items() if proof}
            stored = {"journal": at.journal, "seq": at.seq, "by": self._name} | known
            topic, payload = f"{self._root}/{key.table}/stored", msgspec.json.encode(stored)
            self._source.publish(topic, self._signing.message(topic, payload) if self._signing else payload)

    def beat(self, *, over: str = "") -> None:
        """Say in the store, now and then, that this ingest runs; take over what people closed. Raises StoreError.

        over: why it ends; said at once.
        """
        now_s = self._clock()
        if now_s - self._beaten < BEAT_S and not over:
            return
        self._beaten = now_s
        backlog, fault = self._ledger.missing(), over or self._source.fault
        self._heartbeat = self._heartbeat._replace(at=now(), backlog=backlog, fault=fault)
        self._store.beat(self._heartbeat)
        for key, to, since in self._store.closed_gaps():
            self._ledger.close(key, to, answers=bool(since))

    def ask(self) -> int:
        """Ask tables for what is missing, as much as can be taken; return how many orders were sent."""
        now_s = self._clock()
        if self._due and now_s - self._published_s >= STORED_S:
            self._publish_due()
        if now_s - self._looked < LOOK_S:
            return 0
        self._looked, before = now_s, self._orders
        self._records.tick(now_s, is_behind=self._ledger.missing() >= LEAST)
        self._listed.enrol(self._records.enrolled)
        self._commit(_Batch(now(), [], {}))
        for table, order in self._ledger.due(now_s):
            self._orders += 1
            is_all = is_for_all(order)
            log.info("asked table %s for %s", escaped(table), escaped(_wanted(order)))
            name = f"{self._id_of(is_all=is_all)}{self._orders}"
            if order.journal and not is_all:
                self._asked[name] = Key(table, order.journal)
                if len(self._asked) > IN_MIND:
                    del self._asked[next(iter(self._asked))]
            payload = command(order, name)
            topic = f"{self._root}/{table}/command"
            self._source.publish(topic, self._signing.order(topic, payload) if self._signing else payload)
        return self._orders - before

    def _id_of(self, *, is_all: bool) -> str:
        """Return the prefix of the ids of this run's orders. is_all: of those for all that a journal begins with."""
        return f"{self._name[:32]}-{self._run}-{'since' if is_all else 'gap'}-"

    def _answered(self, table: str, body: bytes) -> None:
        """Handle the answer to an order of this run; `reply` also has answers to other clients."""
        try:
            answer = from_json(body, _Reply)
        except Undecodable:
            return
        if answer.code == NOT_YET:
            return  # it is asked again, as without an answer
        is_ours = answer.id.startswith(f"{self._name[:32]}-{self._run}-")
        if self._signing and is_ours:
            self._signing.go_on(f"{self._root}/{table}/command", answer.code, answer.count)
        if answer.id.startswith(self._id_of(is_all=True)):
            self._ledger.answered(table, ok=answer.ok)
        key = self._asked.pop(answer.id, None)
        if key and not answer.ok and key.table == table:
            self._ledger.refused(key)
        if is_ours and not answer.ok:
            why = words("en", answer.code, answer.values, answer.error, answer.hint)
            self._refusals.add("table {} refuses to send again: {}; {}".format(*map(escaped, (table, *why))))

    def _read(self, delivery: Delivery, batch: "_Batch") -> None:
        """Decode a delivery, and add it to the batch and the ledger."""
        *_, table, topic = ("", "", *delivery.topic.removeprefix(self._root).split("/"))
        if not self._listed.takes(table):
            return
        if topic == "reply":
            self._answered(table, delivery.body)
            return
        if topic in STATES:
            self._heard(topic, table, delivery.body, batch)
            return
        if topic == ALARM:
            self._alarmed(table, delivery.body)
            return
        try:
            if delivery.cut:
                raise MessageError(delivery.cut, "")
            found = row(topic, table, delivery.body, batch.at)
        except MessageError as error:
            unread = Unread(escaped(delivery.topic), batch.at, escaped(error.what), delivery.body)
            if kept := self._quarantine.kept(table, unread):
                batch.unread.append(self._names.unread(kept) if self._names else kept)
            return
        self._records.add(found)
        batch.journals[found.key] = None

    def _alarmed(self, table: str, body: bytes) -> None:
        """Record what a table finds wrong with its record; a payload that is no state is ignored."""
        try:
            head, alarms = state(body, Alarms)
        except MessageError:
            return
        if head.table == table and not fault(table, LONGEST):
            self._records.alarmed(table, head.journal, alarms)

    def _heard(self, topic: str, table: str, body: bytes, batch: "_Batch") -> None:
        """Record how far a journal goes; a payload that is no state, or is empty, is ignored."""
        try:
            if topic == "status":
                head, status = state(body, Status)
                seq, record, waits = status.next_seq - 1, status.record, True
            else:
                (head, health), record, status = state(body, _Queue), NO_RECORD, None
                seq, waits = head.as_of, isinstance(health.queue, int) and health.queue > 0
        except MessageError:
            return
        if head.table != table or not head.journal or not 0 < seq <= MOST or not 0 <= head.shoe <= MOST:
            return
        if fault(table, LONGEST) or fault(head.journal, LONGEST):
            return
        key = Key(table, head.journal)
        self._ledger.reach(key, head.shoe, seq)
        self._records.heard(table, record)
        if status is None:
            self._ledger.alive(table)
        else:
            self._ledger.connected(table, (head.boot, status.link), is_up=status.state == "online")
        if waits:  # a table that waits for `stored` may have missed it
            batch.journals[key] = None


class _Queue(Struct, frozen=True):
    """What the ingest reads of a `health`: how many entries wait for the broker or for `stored`, if it is a number."""

    queue: object = 0


class _Reply(Struct, frozen=True):
    """The fields of an answer that the ingest reads."""

    id: str
    ok: bool
    error: str = ""
    hint: str = ""
    code: str = ""
    values: dict[str, Any] = {}
    count: int | None = None


def _wanted(order: Resend) -> str:
    """Return what an order asks for, in words."""
    if order.since:
        return f"everything since {order.since}"
    return f"entries {order.start} to {order.to or 'the last'} of {order.journal}"


class _Batch(NamedTuple):
    """Quarantine, and the journals to publish `stored` for. at: when it came, RFC 3339."""

    at: str
    unread: list[Unread]
    journals: dict[Key, None]
