"""Orders that wait for a second person, who is signed in elsewhere: in memory, for some minutes."""

from collections.abc import Callable
from time import time
from typing import Final, NamedTuple

from msgspec.structs import replace

from firmware_bridge.config.doors import WAITING_ORDERS
from firmware_bridge.facts.names import one_person
from firmware_bridge.facts.orders import Order, Resolve, Void
from firmware_bridge.floor.page.sessions import Visitor

WAITS_S: Final = 300.0
"""Seconds that an order waits for its second person."""

MOST: Final = 100
"""Most orders that wait; beyond, none is taken."""


class NotSecond(Exception):
    """Somebody who cannot be the second person, or an order that waits no more. id: of the text that says why."""

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.id = id


class Waiting(NamedTuple):
    """An order that waits. fields: of its form. at, until: seconds since 1970."""

    id: str
    table: str
    order: Order
    fields: dict[str, str]
    first: Visitor
    at: float
    until: float


class SecondPeople:
    """The orders that wait. clock: seconds since 1970."""

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._clock = clock
        self._waiting: dict[str, Waiting] = {}

    def of(self, table: str) -> list[Waiting]:
        """Return the orders of a table that wait, the oldest first."""
        return [each for each in self.all() if each.table == table]

    def all(self) -> list[Waiting]:
        """Return all orders that wait, the oldest first."""
        now = self._clock()
        return [each for each in self._waiting.values() if now < each.until]

    def add(self, id: str, table: str, order: Order, fields: dict[str, str], first: Visitor) -> Waiting:
        """Let an order wait; the same form again is the same order. Raises NotSecond where too many wait."""
        now = self._clock()
        self._waiting = {each.id: each for each in self._waiting.values() if now < each.until}
        if (known := self._waiting.get(id)) is not None:
            return known
        mine = [each for each in self._waiting.values() if each.first.name == first.name]
        if len(self._waiting) >= MOST or len(mine) >= WAITING_ORDERS:
            raise NotSecond("order.too_many")
        made = self._waiting[id] = Waiting(id, table, order, fields, first, now, now + WAITS_S)
        return made

    def confirmed(self, id: str, table: str, second: Visitor) -> tuple[Waiting, Order]:
        """Return the order with the name of its second person. Raises NotSecond."""
        found = self.found(id, table)
        same_session = second.key and second.key == found.first.key
        if same_session or one_person(second.name, found.first.name):
            raise NotSecond("order.same_person")
        assert isinstance(found.order, Void | Resolve)
        return found, replace(found.order, second=second.name)

    def found(self, id: str, table: str) -> Waiting:
        """Return an order that waits. Raises NotSecond."""
        found = self._waiting.get(id)
        if found is None or found.table != table or self._clock() >= found.until:
            raise NotSecond("order.waits_no_more")
        return found

    def end(self, id: str) -> None:
        """Let an order wait no more: it was given, or withdrawn."""
        self._waiting.pop(id, None)
