"""One subscriber for all browsers: a thread reads the broker, the event loop updates the tables and wakes streams."""

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Event, Thread
from time import time
from typing import Final, TypeVar

from msgspec.structs import replace

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.config import FloorConfig, password
from firmware_bridge.floor.listed import Listed
from firmware_bridge.floor.page.backfill import LIMIT_S, OrdersOf, RoundBackfill
from firmware_bridge.floor.page.guest.fold import Guests
from firmware_bridge.floor.page.order_log import OrderLog
from firmware_bridge.floor.page.records import UNKNOWN, Records, RecordWatch, Sealed
from firmware_bridge.floor.page.state import TOPICS, DoneAtTables, Floor
from firmware_bridge.floor.page.taken import Taken, Takings
from firmware_bridge.floor.page.tile import Trouble, trouble
from firmware_bridge.floor.source import Delivery, Source
from firmware_bridge.floor.source.mqtt import MqttSource
from firmware_bridge.floor.store.open import Asked
from firmware_bridge.floor.verified.standing import Watching, watching

log = logging.getLogger(__name__)

MOST: Final = 500
"""Most messages of one update."""

WAIT_S: Final = 0.25

LOOK_S: Final = 1.0
"""Time between two searches for silent tables."""

TAKEN: Final = "taken.jsonl"
"""The file of who goes to which alarm, beside that of the people."""

FOLDED_S: Final = 60.0
"""Longest time for the loop to handle a batch; nothing in it blocks."""

Answer = TypeVar("Answer")


def now_ms() -> int:
    """Return the time in ms since 1970."""
    return int(time() * 1000)


class Feed:
    """The present state of all tables, from `start` to `close`. fault: why the broker cannot be read, "" if it can.

    heard: called with topic and payload of each message of a table. listed: the tables that there are. orders: the
    last ones of each table. takings: who goes to which alarm. troubles: what each table needs. sealed: how its record
    stands. version: incremented by each change. failed: reading has ended by an error.
    """

    def __init__(
        self,
        root: str,
        source: Source,
        fault: Callable[[], str],
        clock: Callable[[], int] = now_ms,
        backfill: RoundBackfill | None = None,
        records: RecordWatch | None = None,
        listed: Listed | None = None,
        takings: Takings | None = None,
    ) -> None:
        self.floor, self.guests, self.done = Floor(root), Guests(root), DoneAtTables(root)
        self.clock, self.listed, self._root = clock, listed or Listed(), root
        self.orders = OrderLog()
        self.takings = takings or Takings()
        self.takings.refresh()
        self.fault, self.version = "", 0
        self.troubles: dict[str, Trouble] = {}
        self.sealed: dict[str, Sealed] = {}
        self.watching = records.watching if records else Watching()
        self.failed = False
        self.heard: Callable[[str, bytes], None] = lambda topic, payload: None
        self._outgoing = deque[tuple[str, bytes]]()
        self._unlisted = 0
        self._left_out: set[str] = set()
        self._not_drawn: frozenset[tuple[str, ...]] = frozenset()
        self._source, self._fault, self._backfill, self._records = source, fault, backfill, records
        self._ended, self._thread = Event(), Thread(target=self._read, name="feed")
        self._changed: asyncio.Future[None] | None = None

    def start(self) -> None:
        """Start reading; call it on the event loop of the streams."""
        self._loop = asyncio.get_running_loop()
        self._thread.start()
        if self._backfill:
            self._backfill.start(partial(self._soon, self.recall), partial(self._soon, self.recall_orders))
        if self._records:
            self._records.start(partial(self._soon, self.see))
        self._looks = asyncio.create_task(self._look())

    async def close(self) -> None:
        """Stop reading, and disconnect."""
        self._ended.set()
        self._looks.cancel()
        if self._backfill:
            self._backfill.close()
        if self._records:
            self._records.close()
        await asyncio.to_thread(self._thread.join)

    async def changed_after(self, version: int, within_s: float) -> None:
        """Wait for another version, at most so many seconds."""
        if version != self.version:
            return
        if self._changed is None or self._changed.done():
            self._changed = self._loop.create_future()
        with suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._changed), within_s)

    def publish(self, topic: str, payload: bytes) -> None:
        """Send a message soon; without a connection it is lost."""
        self._outgoing.append((topic, payload))

    def handle(self, came: Sequence[Delivery], fault: str) -> None:
        """Update the tables by messages."""
        now, changed = self.clock(), fault != self.fault
        self.fault = fault
        for each in came:
            with self._alone(each.topic):
                if not self.listed.takes(each.topic.removeprefix(f"{self._root}/").partition("/")[0]):
                    continue
                name = self.floor.handle(each.topic, each.body, each.retained, now)
                changed |= self.guests.handle(each.topic, each.body) | (name is not None)
                changed |= self.done.handle(each.topic, each.body)
                if each.topic.endswith("/event"):
                    changed |= self.orders.handle(each.topic.split("/")[-2], each.body)
                self.heard(each.topic, each.body)
        self._notify(changed)

    def recall(self, stored: Sequence[Delivery]) -> None:
        """Add rounds from before the page's start; guests see no more of them than of live ones."""
        changed = False
        for each in stored:
            with self._alone(each.topic):
                if self.floor.recall(each.topic, each.body) is not None:
                    changed |= self.guests.handle(each.topic, each.body)
        self._notify(changed or bool(self.floor.changed))

    def recall_orders(self, stored: list[OrdersOf]) -> None:
        """Add orders from before the page's start."""
        changed = [self.orders.recall(table, orders) for table, orders in stored]
        self._notify(any(changed))

    def see(self, records: Records) -> None:
        """Update how the records of the tables stand."""
        now = self.clock() / 1000
        sealed = {name: records.sealed(name, now) for name in self.floor.tables}
        changed = {name for name, each in sealed.items() if each != self.sealed.get(name)}
        self.sealed = sealed
        self.listed.enrol(records.enrolled)
        self.floor.changed |= changed
        self._notify(bool(changed))

    @contextmanager
    def _alone(self, topic: str) -> Iterator[None]:
        """Skip, and log, a message that raises: it must not stop the page."""
        try:
            yield
        except Exception:
            if topic not in self._left_out:
                log.exception("a message on %s is ignored", escaped(topic))
                self._left_out.add(topic)

    def is_first(self, *part: str) -> bool:
        """Return whether a part of a table cannot be drawn for the first time: logged once, however often it fails."""
        known, self._not_drawn = part in self._not_drawn, self._not_drawn | {part}
        return not known

    def look(self) -> None:
        """Check all tables for needs that change with time alone."""
        self.floor.changed.update(self.floor.tables)
        before, self._unlisted = self._unlisted, self.listed.recent
        self._notify(before != self._unlisted or bool(self.takings.refresh()))

    def wake(self) -> None:
        """Let the streams look again: something changed that no message brings."""
        self._notify(changed=True)

    def add_takings(self, entries: list[Taken], before: Callable[[Taken], str | None]) -> None:
        """Add to who goes to which alarm, as `Takings.add` does."""
        self._notify(bool(self.takings.add(entries, before)))

    def _notify(self, changed: bool) -> None:
        """Update the needs of changed tables; wake the streams if something changed."""
        now = self.clock()
        for name in self.floor.changed:
            seen = self.floor.tables.get(name)
            record = self.sealed.get(name, UNKNOWN)
            needs = trouble(seen, now, incidents=record.incidents) if seen is not None else None
            changed |= needs != self.troubles.get(name)
            if needs is None:
                self.troubles.pop(name, None)
            else:
                self.troubles[name] = needs
        self.floor.changed.clear()
        if not changed:
            return
        self.version += 1
        if self._changed is not None and not self._changed.done():
            self._changed.set_result(None)

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            self.look()

    def _read(self) -> None:
        """Read until `close`; the next batch is read once this one is handled."""
        try:
            while not self._ended.is_set():
                while self._outgoing:
                    self._source.publish(*self._outgoing.popleft())
                came = self._source.receive(MOST, WAIT_S)
                fault = self._fault()
                if came or fault != self.fault:
                    asyncio.run_coroutine_threadsafe(self._handle(came, fault), self._loop).result(FOLDED_S)
                if self._backfill:
                    self._backfill.note(came)
                self._source.acknowledge(came)
                if self.listed.heard():
                    self._source.drop()  # what is retained comes again
        except Exception:
            log.exception("the page can no longer read the broker")
            self.failed = True
        finally:
            self._source.close()

    def _soon(self, update: Callable[[Answer], None], answer: Answer) -> None:
        """Update by an answer of the store, on the loop."""
        with suppress(RuntimeError):  # the loop is closed: the page has stopped
            self._loop.call_soon_threadsafe(update, answer)

    async def _handle(self, came: Sequence[Delivery], fault: str) -> None:
        self.handle(came, fault)


def feed(config: FloorConfig) -> Feed:
    """Return the feed of a floor. Raises ConfigError if the password cannot be read."""
    mqtt, page = config.mqtt, config.page
    secret = password(page if page.username else mqtt)
    mqtt = replace(mqtt, client_id=f"{page.client_id}-{secrets.token_hex(4)}", username=page.username or mqtt.username)
    topics = [f"{mqtt.root}/+/{topic}" for topic in (*TOPICS, "event", *(("reply",) if page.order_key_file else ()))]
    source = MqttSource(mqtt, secret, topics, 2 * MOST, clean=True)
    backfill = RoundBackfill(mqtt.root, Asked(config, LIMIT_S))
    records = RecordWatch(Asked(config, LIMIT_S), watching(config))
    enrolled = records.read().enrolled if config.tables else ()
    return Feed(
        mqtt.root,
        source,
        lambda: source.fault,
        backfill=backfill,
        records=records,
        listed=Listed(config.tables, enrolled),
        takings=Takings(Path(page.users).with_name(TAKEN)),
    )
