"""Loads the last rounds of each table from the store, for rounds from before the page's start.

It does so in a thread of its own, so that messages of the broker never wait for the store.
"""

import logging
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from queue import SimpleQueue
from threading import Thread
from typing import Final, NamedTuple

from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.bounds import MOST as HIGHEST
from firmware_bridge.facts.decoding import Undecodable, json_of
from firmware_bridge.facts.printable import escaped, fault
from firmware_bridge.facts.wire import LONGEST, StateHead
from firmware_bridge.floor.record.message import Key
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store import Reader
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.fact_queries import OrderAt
from firmware_bridge.floor.store.open import Asked

log = logging.getLogger(__name__)

ROUNDS: Final = 24
"""Messages of the topic `round` to load of a table: more than its page or a guest screen shows."""

AT_ONCE: Final = 20
"""Most tables of one query."""

LIMIT_S: Final = 30.0
"""Longest time for a query."""

MOST: Final = 10_000
"""Most tables."""

_head: Final = json_of(StateHead)


OrdersOf = tuple[str, list[OrderAt]]
"""A table, and its newest orders, the oldest first."""

ORDERS: Final = 50
"""Orders to load of a table: those of the pit are few among those of its rounds."""


class TablePosition(NamedTuple):
    """The present journal and shoe of a table."""

    key: Key
    shoe: int


class RoundBackfill:
    """Queries the store once for each table, at its first message of the topic `table`, from `start` to `close`."""

    def __init__(self, root: str, asked: Asked) -> None:
        self._root, self._asked = root, asked
        self._topic = re.compile(rf"{re.escape(root)}/([^/]+)/table")
        self._known: set[str] = set()
        self._due: SimpleQueue[TablePosition | None] = SimpleQueue()
        self._is_over = False

    def start(
        self,
        deliver: Callable[[list[Delivery]], None],
        deliver_orders: Callable[[list[OrdersOf]], None] = lambda orders: None,
    ) -> None:
        """Start. deliver: called with messages as they once came from the broker, in order for each table.

        deliver_orders: called with the newest orders of tables.
        """
        Thread(target=self._read, args=(deliver, deliver_orders), name="past", daemon=True).start()

    def note(self, came: Sequence[Delivery]) -> None:
        """Queue the tables with a first message."""
        for each in came if not self._is_over else ():
            if each.body and (match := self._topic.fullmatch(each.topic)):
                self._meet(match[1], each.body)

    def close(self) -> None:
        """Stop."""
        self._is_over = True
        self._due.put(None)

    def _meet(self, name: str, body: bytes) -> None:
        if name in self._known or len(self._known) >= MOST:
            return
        try:
            head = _head(body)
        except Undecodable:
            return
        if fault(name, LONGEST) or fault(head.journal, LONGEST) or not 0 <= head.shoe <= HIGHEST:
            return
        self._known.add(name)
        self._due.put(TablePosition(Key(name, head.journal), head.shoe))

    def _read(
        self, deliver: Callable[[list[Delivery]], None], deliver_orders: Callable[[list[OrdersOf]], None]
    ) -> None:
        while not self._is_over and (first := self._due.get()):
            tables = [first, *self._more()]
            try:
                stored = self._asked(partial(self._stored, tables))
                orders = self._asked(partial(_orders, tables)) or []
            except (StoreError, ConfigError) as error:
                log.warning("earlier rounds are not listed: %s", escaped(str(error)))
                break
            if stored is None:
                log.info("earlier rounds are not listed: there is no store at [store] path of floor.toml")
                break
            if not self._is_over:
                deliver(stored)
                deliver_orders(orders)
        self._is_over = True

    def _more(self) -> Iterator[TablePosition]:
        for _ in range(AT_ONCE - 1):
            if self._due.empty() or (more := self._due.get()) is None:
                return
            yield more

    def _stored(self, tables: Sequence[TablePosition], reader: Reader) -> list[Delivery]:
        return [
            Delivery(f"{self._root}/{key.table}/round", body)
            for key, shoe in tables
            for body in reader.last_rounds(key, shoe, ROUNDS)
        ]


def _orders(tables: Sequence[TablePosition], reader: Reader) -> list[OrdersOf]:
    return [(key.table, reader.last_orders(key.table, key.journal, ORDERS)) for key, _ in tables]
