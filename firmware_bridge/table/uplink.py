"""The table's side of MQTT: the journal out, retained state out, orders in and their answers out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection
from contextlib import suppress
from typing import Any, Final, Literal

from msgspec import Struct

from firmware_bridge import __version__
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.wire import VERSION, StateHead, joined
from firmware_bridge.facts.wire_states import Alarm, Alarms, Health, Status
from firmware_bridge.journal.cursor import CursorFile
from firmware_bridge.journal.line import Line, rfc3339
from firmware_bridge.mqtt.link import Link
from firmware_bridge.mqtt.outbox import Outbox
from firmware_bridge.mqtt.retained import States
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming, Message, NotConnected
from firmware_bridge.shoe.state import is_open
from firmware_bridge.table.desk import Desk, NotAnOrder, parse
from firmware_bridge.table.live_odds import LiveOdds
from firmware_bridge.table.stamps import now
from firmware_bridge.table.table import Table
from firmware_bridge.topics.state import alarms, mode, snapshots

log = logging.getLogger(__name__)

LOST_AFTER_S: Final = 3.0
"""An outage shorter than this is no irregularity: play goes on either way. A connection must last as long to end it."""

SAVE_S: Final = 0.1
"""The cursor is stored at most this often."""

BACKEND: Final = "backend"

LastWord = Literal["stopped", "lost"]
"""How a table ended: by order, or by a failure."""


class Uplink:
    """Owns the link to the broker, from `start` to `close`, and everything that goes over it.

    desk: takes the orders that come over it, of which those named in `allowed` are obeyed.
    """

    def __init__(
        self,
        table: Table,
        prefix: str,
        settings: BrokerSettings,
        desk: Desk,
        allowed: Collection[str],
        loop: asyncio.AbstractEventLoop,
        live_odds: bool = False,
    ) -> None:
        self._odds = LiveOdds(self.changed, loop) if live_odds else None
        self._table, self._prefix, self._loop = table, prefix, loop
        self._desk, self._allowed = desk, allowed
        self.why_down = "not connected yet"
        self.health: Health | None = None
        self._cursor = CursorFile(table.journal.directory / "cursor")
        self.outbox = Outbox(table.journal.directory, self._cursor, self._send_event)
        self.states = States(self._states, self._head, self._send_state, loop)
        will = self._message("status", self._status("lost"))
        command = f"{prefix}/command"
        self.link = Link(
            settings, will, [command], self._on_up, self._on_down, self._on_delivered, self._on_command, loop
        )
        self._saving: asyncio.TimerHandle | None = None
        self._losing: asyncio.TimerHandle | None = None
        self._steady: asyncio.TimerHandle | None = None

    def start(self) -> None:
        """Begin to connect."""
        self._expect_loss()
        self.link.start()

    async def close(self, last_word: LastWord) -> None:
        """Publish how the table ended, and leave; messages not delivered are sent at the next start."""
        for timer in (self._losing, self._steady, self._saving):
            if timer:
                timer.cancel()
        self.states.close()
        if self._odds:
            self._odds.close()
        await self.link.close(self._message("status", self._status(last_word)))
        self._save()
        self._cursor.close()

    def publish(self, line: Line) -> None:
        """Publish a line that is on disk."""
        end = self._table.journal.end
        assert end is not None
        self.outbox.add(line, end)

    def tell_health(self, health: Health) -> None:
        """Publish how all is; what a broker out of reach misses is told again soon."""
        self.health = health
        with suppress(NotConnected):
            self.link.publish(f"{self._prefix}/health", joined(self._head(), health), qos=0, retain=True)

    def changed(self) -> None:
        """The retained topics may show something new."""
        if self._odds:
            self._odds.follow(self._table.shoe)
        self.states.changed()

    def status(self) -> dict[str, Any]:
        """The link as a technician wants to see it."""
        return {
            "up": self.link.up,
            "protocol": {4: "3.1.1", 5: "5"}.get(self.link.protocol or 0),
            "why_down": self.why_down or None,
            "waiting": self.outbox.waiting,
            "acked": self.outbox.acked,
        }

    def _on_up(self) -> None:
        self.why_down = ""
        self._steady = self._loop.call_later(LOST_AFTER_S, self._back)
        self.states.up()
        if self.health:
            self.tell_health(self.health)
        self.outbox.up()

    def _on_down(self, why: str) -> None:
        self.why_down = why
        self.states.down()
        self.outbox.down()
        if self._steady:
            self._steady.cancel()
        self._expect_loss()

    def _expect_loss(self) -> None:
        """Take the broker as lost when this has gone on for too long: a connection that does not last ends nothing."""
        if self._losing is None:
            self._losing = self._loop.call_later(LOST_AFTER_S, self._lost)
        elif self._losing.when() <= self._loop.time():
            self._loop.call_soon(self._lost)  # not now: a connection may break under an entry just being published

    def _lost(self) -> None:
        if not self.link.up:
            self._table.take(inputs.DeviceLost(**now(), device="broker", why=self.why_down))

    def _back(self) -> None:
        """An entry was delivered, or the connection has lasted."""
        if self._losing:
            self._losing.cancel()
            self._losing = None
        if is_open(self._table.shoe, "broker_lost"):
            self._table.take(inputs.DeviceBack(**now(), device="broker", resumes=True))

    def _on_delivered(self, mid: int) -> None:
        before = self.outbox.acked
        if not self.outbox.delivered(mid):
            return
        if self.outbox.acked != before:
            self._back()
        if self._saving is None:
            self._saving = self._loop.call_later(SAVE_S, self._save)

    def _save(self) -> None:
        self._saving = None
        try:
            self.outbox.save()
        except OSError as error:
            log.warning("the cursor cannot be stored (%s): messages may be repeated after a restart", error)

    def _on_command(self, message: Incoming) -> None:
        if message.retained:
            log.warning("a retained command is ignored: clear it at the broker")
            return
        try:
            fields = parse(message.payload)
        except NotAnOrder as error:
            self._reply(message, error.answer)
            return
        self._reply(message, self._desk.give(fields, self._allowed, BACKEND))

    def _reply(self, message: Incoming, answer: orders.Answer) -> None:
        own = f"{self._prefix}/reply"
        wished = message.response_topic or ""
        topic = wished if wished.startswith(f"{own}/") and not {"+", "#"} & set(wished) else own
        payload = joined(self._head(), answer)
        try:
            self.link.publish(topic, payload, response=message)
        except NotConnected:
            log.warning("an answer could not be sent: the backend repeats its command with the same id")

    def _send_event(self, topic: str, payload: bytes) -> int:
        return self.link.publish(f"{self._prefix}/{topic}", payload)

    def _send_state(self, topic: str, payload: bytes) -> int:
        return self.link.publish(f"{self._prefix}/{topic}", payload, retain=True)

    def _states(self) -> dict[str, Any]:
        shoe, disk = self._table.shoe, self._table.disk
        states = snapshots(shoe, self._table.shown())
        if disk:
            urgent = Alarm(disk.irregularity, self._table.disk_since, "critical", disk.what, disk.hint, True, ())
            states["alarm"] = Alarms((*alarms(shoe), urgent))
        if self._odds and self._odds.state:
            states["odds"] = self._odds.state
        return states | {"status": self._status("online")}

    def _status(self, state: Literal["online", "stopped", "lost"]) -> Status:
        shoe = self._table.shoe
        return Status(state, __version__, shoe.seq + 1, mode(shoe, self._table.observing))

    def _head(self) -> StateHead:
        shoe, at = self._table.shoe, rfc3339(now()["at"])
        return StateHead(VERSION, self._table.name, shoe.number, shoe.journal, shoe.seq, at, self._table.boot)

    def _message(self, topic: str, body: Struct) -> Message:
        return Message(f"{self._prefix}/{topic}", joined(self._head(), body), retain=True)
