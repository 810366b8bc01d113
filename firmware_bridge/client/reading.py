"""What a floor's reader does at each turn, whichever way it waits: take what came, ask, say, and give a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from time import monotonic

import msgspec

from firmware_bridge.client.broker import Address, Session
from firmware_bridge.client.command import command
from firmware_bridge.client.intake import Intake
from firmware_bridge.client.items import Item
from firmware_bridge.errors import BridgeError

MOST = 500
"""Items of a batch at most."""


class FloorInUse(BridgeError, RuntimeError):
    """A floor gives one stream."""


class NotThisBatch(BridgeError, RuntimeError):
    """`stored()` of a batch that was left already."""


class Reading:
    """The tables below `prefix` of a broker, read in one thread. wake: called from another one when there is news."""

    def __init__(self, address: Address, prefix: str, wait_s: float, wake: Callable[[], None]) -> None:
        self.is_closed = False
        self.session = Session(address, wake)
        self._prefix, self._begun, self._together = prefix, False, False
        self._intake = Intake(address.by, wait_s)
        self._out: dict[str, list[Item]] = {}
        self._connects = 0

    def begin(
        self, *, events: bool, known: Iterable[bytes], forgotten: Iterable[tuple[str, str]], together: bool
    ) -> None:
        """Begin with rounds, or with events too; or go on with them. Raises FloorInUse for the other ones."""
        self._together = together
        if not self._begun:
            self._begun, self._intake.events = True, events
            self._intake.know(known, forgotten, monotonic())
            topics = {"round": 1, "event": 1 if events else None, "status": 1, "reply": 0}
            self.session.read({f"{self._prefix}/+/{name}": qos for name, qos in topics.items()})
        elif self._intake.events != events:
            raise FloorInUse("this floor gives its other stream", "make another floor, with another name")

    def step(self) -> dict[str, list[Item]]:
        """Do what is due; the items of the next batch by table, none where nothing waits.

        Raises FloorError, once for each time that the broker refused something.
        """
        error, self.session.error = self.session.error, None
        if error is not None:
            raise error
        now = monotonic()
        self._intake.failed(self._out, now)
        if self._connects != self.session.connects:
            self._connects = self.session.connects
            self._intake.connected()
        self._take(now)
        for told in self._intake.asks(now):
            self.session.publish(f"{self._prefix}/{told.table}/command", command(told.order, told.id))
        self._say()
        self._out = self._intake.batch(now, MOST, together=self._together)
        return self._out

    def stored(self, items: dict[str, list[Item]]) -> None:
        """The batch that was given last is committed. Raises NotThisBatch for another one."""
        if self._out is not items:
            raise NotThisBatch("this batch was left already, it comes again", "call stored() once, inside of the loop")
        self._out = {}
        self._intake.stored(items)
        self._say()

    def left(self) -> float | None:
        """Seconds until something is due though nothing comes; None for never."""
        at = self._intake.next_at()
        return None if at is None else max(0.0, at - monotonic())

    def close(self) -> None:
        """Disconnect; the broker keeps what comes."""
        self.is_closed = True
        self.session.close()

    def _take(self, now: float) -> None:
        while self.session.incoming:
            topic, payload, ticket = self.session.incoming.popleft()
            table, _, name = topic.removeprefix(f"{self._prefix}/").rpartition("/")
            if name == "round" or (name == "event" and self._intake.events):
                self._intake.take(table, "event" if name == "event" else "round", payload, ticket, now)
                continue
            if name == "status":
                self._intake.status(table, payload, now)
            elif name == "reply":
                self._intake.answer(payload)
            self._intake.done += [ticket] if ticket else []

    def _say(self) -> None:
        for table, stored in self._intake.says():
            self.session.publish(f"{self._prefix}/{table}/stored", msgspec.json.encode(stored))
        self.session.done(self._intake.done)
        self._intake.done.clear()
