"""When the broker counts as lost, and when as back: the irregularity `broker_lost`."""

import asyncio
from collections.abc import Callable
from typing import Final

from firmware_bridge.daemon.table.clock import now
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs

LOST_AFTER_S: Final = 3.0
"""An outage shorter than this is no irregularity: play goes on either way. A connection must last as long to end it."""


class BrokerOutage:
    """Tells the table that the broker is lost, and why, and that it is back.

    is_up: whether there is a connection. is_doubtful: whether one that lasts still proves nothing.
    """

    def __init__(
        self,
        table: Table,
        is_up: Callable[[], bool],
        is_doubtful: Callable[[], bool],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._table, self._is_up, self._is_doubtful, self._loop = table, is_up, is_doubtful, loop
        self.why = "not connected yet"
        self._losing: asyncio.TimerHandle | None = None
        self._steady: asyncio.TimerHandle | None = None

    def up(self) -> None:
        """A connection has begun."""
        self.why = ""
        self._steady = self._loop.call_later(LOST_AFTER_S, self._lasted)

    def down(self, why: str) -> None:
        """The connection has ended, or none came about."""
        self.why = why
        if self._steady:
            self._steady.cancel()
        self.expect()

    def expect(self) -> None:
        """Take the broker as lost when this has gone on for too long: a connection that does not last ends nothing."""
        if self._losing is None:
            self._losing = self._loop.call_later(LOST_AFTER_S, self._lost)
        elif self._losing.when() <= self._loop.time():
            self._loop.call_soon(self._lost)  # not now: a connection may break under an entry just being published

    def warn(self, why: str) -> None:
        """Take the broker as lost at once, for this reason, whether there is a connection or not."""
        self._loop.call_soon(self._report_lost, why)

    def progress(self) -> None:
        """An entry was delivered."""
        if not self._is_doubtful():
            self._back()

    def close(self) -> None:
        """Tell nothing more."""
        for timer in (self._losing, self._steady):
            if timer:
                timer.cancel()

    def _lasted(self) -> None:
        if self._is_doubtful():
            self._steady = self._loop.call_later(LOST_AFTER_S, self._lasted)
        else:
            self._back()

    def _back(self) -> None:
        if self._losing:
            self._losing.cancel()
            self._losing = None
        if self._detail() is not None:
            self._table.handle(inputs.DeviceBack(**now(), device="broker", resumes=True))

    def _lost(self) -> None:
        if not self._is_up() and self._detail() is None:
            self._table.handle(inputs.DeviceLost(**now(), device="broker", why=self.why))

    def _report_lost(self, why: str) -> None:
        known = self._detail()
        if known not in (None, why):
            self._table.handle(inputs.DeviceBack(**now(), device="broker", resumes=True))
        if known != why:
            self._table.handle(inputs.DeviceLost(**now(), device="broker", why=why))

    def _detail(self) -> str | None:
        """What the open irregularity says, None where none is open."""
        irregular = self._table.shoe.device.irregular
        return next((each.detail for each in irregular if each.id == "broker_lost"), None)
