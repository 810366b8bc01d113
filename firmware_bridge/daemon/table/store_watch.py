"""Watches the store: takes what it says, sends again what it lacks, and raises the alarm where it is silent."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

from firmware_bridge.daemon.delivery.store import NotStored, Store
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.resend import Range
from firmware_bridge.mqtt.backoff import Doubling
from firmware_bridge.mqtt.settings import Incoming

log = logging.getLogger(__name__)

AGAIN_S: Final = 5.0
"""How long a store may be silent before what it lacks is sent again; then twice as long, and so on."""

AGAIN_AT_MOST_S: Final = 300.0

SILENT_S: Final = 60.0
"""A store that is silent for longer is an alarm. Time without a broker does not count: that is an alarm of its own."""

REMEDY: Final = (
    "start it, or see its log; play goes on, what it lacks is sent again, and no journal is deleted until it has it"
)


class StoreWatch:
    """Moves the cursor of `store` by what comes on the topic `stored`, from `up` to `down` of the link.

    store: None where none counts; then nothing is heard, and nothing watched.

    moved: called when the store has more. resend: queues a part of a journal to be sent again. refuse: tells the
    sender of a message what is wrong with it, and what to do.
    """

    def __init__(
        self,
        store: Store | None,
        table: Table,
        moved: Callable[[], None],
        resend: Callable[[Range], None],
        refuse: Callable[[Incoming, str, str], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._store, self._table, self._loop = store, table, loop
        self._moved, self._resend, self._refuse = moved, resend, refuse
        self._wait = Doubling(AGAIN_S, AGAIN_AT_MOST_S)
        self._part: Range | None = None
        self._to: Cursor | None = None  # how far it is to be sent again
        self._tried: Cursor | None = None  # how far it was, though the store said nothing
        self._again: asyncio.TimerHandle | None = None
        self._silent: asyncio.TimerHandle | None = None
        self._is_up = False
        self._refused = 0
        self._why_refused: str | None = None
        if store:
            store.changed = self._watch

    def up(self) -> None:
        """The broker is there: from now on the store can be heard."""
        self._is_up = True
        self._wait.reset()
        self._watch()

    def down(self) -> None:
        """The broker is gone: nobody can be heard, and the store is not blamed for it."""
        self._is_up = False
        self._rest()

    def receive(self, message: Incoming) -> None:
        """Hear a message of the topic `stored`; one that does not count is refused, and changes nothing."""
        if self._store is None:
            return
        try:
            if message.retained:
                raise NotStored("it is retained", "publish it without the retain flag, and clear it at the broker")
            if not self._store.receive(message.payload):
                return
        except NotStored as error:
            self._turn_away(message, error)
            return
        self._table.unwarn("store_silent")
        self._rest()
        self._tried = None
        if self._store.has(self._to):  # else it is on its way: a thousand tables that send again would keep it there
            self._wait.reset()
        self._moved()
        self._go_on()
        self._watch()

    def status(self) -> dict[str, Any] | None:
        """How far the store is, as a technician wants to see it; None where none counts."""
        if self._store is None:
            return None
        return {
            "name": self._store.name,
            "stored": self._store.cursor,
            "sent": self._store.sent,
            "behind": self._store.behind,
            "refused": self._refused,
            "why_refused": self._why_refused,
        }

    def _watch(self) -> None:
        """Let the time run in which the store is to say something, where it lacks something."""
        if self._store is None or not self._store.behind:
            self._rest()
        elif self._is_up and self._again is None:
            self._again = self._loop.call_later(self._wait.s, self._send_again)
            if self._silent is None:
                self._silent = self._loop.call_later(SILENT_S, self._warn)

    def _rest(self) -> None:
        for timer in (self._again, self._silent):
            if timer:
                timer.cancel()
        self._again = self._silent = None

    def _send_again(self) -> None:
        """Send what the store lacks, and be more patient the next time."""
        self._again = None
        self._wait.longer()
        self._watch()
        self._to = self._store.sent if self._store else None
        self._send_part()
        self._send_later_part()

    def _go_on(self) -> None:
        """The store said something: where it has all that was sent again, the next part follows."""
        assert self._store
        if self._store.has(self._to):
            self._part = None
        elif (end := _end(self._part)) and self._store.has(end):
            self._send_part()

    def _send_part(self) -> None:
        if part := self._missing(None):
            self._part = part
            self._resend(part)

    def _send_later_part(self) -> None:
        """Send a part behind the one that brings nothing: an entry of that may never come, as it cannot be read."""
        if self._tried and (later := self._missing(self._tried)):
            self._resend(later)
            self._tried = _end(later)
        else:
            self._tried = _end(self._part)

    def _missing(self, behind: Cursor | None) -> Range | None:
        assert self._store
        try:
            return self._store.missing(behind)
        except OSError as error:
            log.error("what the store lacks cannot be sent again: %s", error)
            return None

    def _warn(self) -> None:
        assert self._store
        at = self._store.cursor
        has = f"entry {at.seq} of {at.journal}" if at else "nothing"
        what = f"{self._store.name} stored nothing for {SILENT_S:.0f} s: it has {has}"
        self._table.warn("store_silent", what, REMEDY)

    def _turn_away(self, message: Incoming, error: NotStored) -> None:
        self._refused += 1
        why = f"{error.what}; {error.hint}"
        self._why_refused = why
        if self._refused.bit_count() == 1:  # the first, the second, the fourth: a flood does not fill the log
            log.warning("a message on the topic stored does not count (the %d. of them): %s", self._refused, why)
        self._refuse(message, f"stored: {error.what}", error.hint)


def _end(part: Range | None) -> Cursor | None:
    """The last entry of a part."""
    return Cursor(part.journal, part.to) if part and part.to else None
