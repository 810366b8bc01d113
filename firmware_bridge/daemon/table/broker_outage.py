"""Decides when the broker counts as lost, and when as back: `broker_lost`, and `broker_fault` of one that is there."""

import asyncio
from collections.abc import Callable
from typing import Final

from firmware_bridge.daemon.table.clock import now
from firmware_bridge.daemon.table.fair_turns import Window
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs
from firmware_bridge.facts.book.refusals import Phrase, Value, phrase
from firmware_bridge.topics.texts.refusals import english

NEWS: Final = 5
"""Reasons within a minute that are journaled at most: another client may change its mind as often as it likes."""

LOST_AFTER_S: Final = 3.0
"""Seconds before an outage is an irregularity, and that a connection must last to end it; play goes on either way."""


AGAIN_S: Final = 60.0 / NEWS
"""Seconds until a reason that was not reported, as there were too many, is looked at again."""

FAULT: Final = "broker_fault"


class BrokerOutage:
    """Reports to the table that the broker is lost, and why, and that it is back; and faults of one that is there.

    is_up: whether there is a connection. is_doubtful: whether even a lasting one does not end the outage.
    """

    def __init__(
        self,
        table: Table,
        is_up: Callable[[], bool],
        is_doubtful: Callable[[], bool],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._table, self._is_up, self._is_doubtful, self._loop = table, is_up, is_doubtful, loop
        self._why, self._news = phrase("not_connected"), Window(NEWS, 60.0)
        self._breaks = 0
        self._losing: asyncio.TimerHandle | None = None
        self._steady: asyncio.TimerHandle | None = None
        self._again: asyncio.TimerHandle | None = None

    @property
    def why(self) -> Phrase | None:
        """Why there is no connection, or none that lasts; None where all is well."""
        return None if self._is_up() and self._reported() is None else self._why

    def up(self) -> None:
        """Watch whether the connection lasts, after each reconnect."""
        self._steady = self._loop.call_later(LOST_AFTER_S, self._lasted)

    def down(self, why: Phrase) -> None:
        """Handle a lost connection, or an attempt that failed."""
        self._why = why
        self._breaks += 1
        if self._steady:
            self._steady.cancel()
        self.expect()
        if not self._is_reported(None, why):
            self._loop.call_soon(self._report_change)

    def expect(self) -> None:
        """Report the broker as lost after `LOST_AFTER_S`; a connection that does not last changes nothing."""
        if self._losing is None:
            self._losing = self._loop.call_later(LOST_AFTER_S, self._lost)
        elif self._losing.when() <= self._loop.time():
            self._loop.call_soon(self._lost)  # later: the connection may break while an entry is being published

    def warn(self, why: Phrase) -> None:
        """Report the broker as lost soon, for this reason, with or without a connection."""
        self._why = why
        self._loop.call_soon(self._report_lost, why)

    def fault(self, what: Phrase | None) -> None:
        """Show what a broker that is there does not do; None: nothing."""
        self._table.unwarn(FAULT)
        if what:
            self._table.warn(FAULT, why=what)

    def progress(self) -> None:
        """Note that an entry was delivered; a connection that comes and goes must last all the same."""
        if self._breaks < 2 and not self._is_doubtful():
            self._back()

    def close(self) -> None:
        """Stop the timers."""
        for timer in (self._losing, self._steady, self._again):
            if timer:
                timer.cancel()

    def _lasted(self) -> None:
        if self._is_doubtful():
            self._steady = self._loop.call_later(LOST_AFTER_S, self._lasted)
        else:
            self._back()

    def _back(self) -> None:
        self._breaks = 0
        if self._losing:
            self._losing.cancel()
            self._losing = None
        if self._reported() is not None:
            self._table.handle(inputs.DeviceBack(**now(), device="broker", resumes=True))

    def _lost(self) -> None:
        if not self._is_up() and self._reported() is None:
            self._table.handle(_input_of(self._why))

    def _report_change(self) -> None:
        """Report the reason of an outage that has become another one, now or when there were fewer."""
        if self._is_reported(None, self._why):
            return
        if not self._report_lost(self._why):
            if self._again:
                self._again.cancel()
            self._again = self._loop.call_later(AGAIN_S, self._report_change)

    def _report_lost(self, why: Phrase) -> bool:
        """Report a reason that is not known yet; return whether it is known now."""
        if self._is_reported(why):
            return True
        if not self._news.admits(self._loop.time()):
            return False
        if self._reported() is not None:
            self._table.handle(inputs.DeviceBack(**now(), device="broker", resumes=True))
        self._table.handle(_input_of(why))
        return True

    def _is_reported(self, *reasons: Phrase | None) -> bool:
        """Return whether one of these reasons is the one in the open irregularity, None for none open."""
        known = self._reported()
        return any(known == each or (each and known == english(each)) for each in reasons)

    def _reported(self) -> Value | None:
        """Return the reason in the open irregularity, None where none is open; in a journal of format 3 its English."""
        irregular = self._table.shoe.device.irregular
        return next((each.values.get("why", each.detail) for each in irregular if each.id == "broker_lost"), None)


def _input_of(why: Phrase) -> inputs.DeviceLost:
    return inputs.DeviceLost(**now(), device="broker", code=why.code, values=why.values)
