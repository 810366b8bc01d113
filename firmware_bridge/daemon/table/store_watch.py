"""Watches the store: follows its messages, sends again what it lacks, and raises an alarm if it is silent."""

import asyncio
import logging
from collections.abc import Callable
from math import inf
from typing import Any, Final

from firmware_bridge.daemon.delivery.store import FIRST_PART, PART, NotStored, Store
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.errors import in_words
from firmware_bridge.facts.book.refusals import Value
from firmware_bridge.facts.orders import Answer
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.resend import Range
from firmware_bridge.mqtt.backoff import RoundTrip
from firmware_bridge.mqtt.settings import Incoming
from firmware_bridge.topics.texts.refusals import worded

log = logging.getLogger(__name__)

AGAIN_S: Final = 5.0
"""Seconds of silence before missing entries are sent again; more where the store takes longer, doubled each time."""

USUAL_S: Final = 60.0
"""The longest of these waits that the pace of the store alone makes."""

AGAIN_AT_MOST_S: Final = 300.0

SILENT_S: Final = 60.0
"""Seconds of silence before the alarm; time without a broker does not count, as it has its own alarm."""


class StoreWatch:
    """Moves the cursor of `store` by messages on the topic `stored`, from `up` to `down` of the link.

    store: None where none is configured; then messages are ignored. moved: called when the cursor moved. resend:
    queues a part of a journal. refuse: called with a message and its refusal, for its sender. silent_s: seconds
    of silence before the alarm.
    """

    def __init__(
        self,
        store: Store | None,
        table: Table,
        moved: Callable[[], None],
        resend: Callable[[Range], None],
        refuse: Callable[[Incoming, Answer], None],
        loop: asyncio.AbstractEventLoop,
        silent_s: float | None = None,
    ) -> None:
        self._store, self._table, self._loop = store, table, loop
        self._silent_s = SILENT_S if silent_s is None else silent_s
        self._moved, self._resend, self._refuse = moved, resend, refuse
        self._wait = RoundTrip(AGAIN_S, USUAL_S, AGAIN_AT_MOST_S)
        self._sent: Cursor | None = None
        self._timed: tuple[Cursor, float] | None = None  # an entry that was sent once, and when
        self._part: Range | None = None
        self._part_s = -inf  # when it was sent
        self._size = FIRST_PART
        self._to: Cursor | None = None  # the last entry to be sent again
        self._tried: Cursor | None = None  # the last entry sent again without an answer
        self._was_later = False  # whether it is behind what the store lacks first
        self._again: asyncio.TimerHandle | None = None
        self._silent: asyncio.TimerHandle | None = None
        self._is_up = False
        self._refused = 0
        self._why_refused: str | None = None
        if store:
            store.changed = self._watch

    @property
    def name(self) -> str | None:
        """The receiver that counts, None where none is configured."""
        return self._store.name if self._store else None

    def up(self) -> None:
        """Begin to watch, after each reconnect."""
        self._is_up = True
        self._wait.reset()
        self._watch()

    def down(self) -> None:
        """Stop the timers, as the connection is lost."""
        self._is_up, self._timed = False, None
        self._rest()

    def receive(self, message: Incoming) -> None:
        """Handle a message of the topic `stored`; an invalid one is refused, and changes nothing."""
        if self._store is None:
            return
        try:
            if message.retained:
                raise NotStored("stored_retained")
            if not self._store.receive(message.payload):
                return
        except NotStored as error:
            self._turn_away(message, error)
            return
        self._table.unwarn("store_silent")
        self._rest()
        self._tried = None
        if self._timed and self._store.has(self._timed[0]):  # else keeps the longer wait
            self._wait.took(self._loop.time() - self._timed[1])
            self._timed = None
        self._moved()
        self._go_on()
        self._watch()

    def asked(self) -> None:
        """Note that entries are sent again as the backend asked for them: it need not get them twice."""
        if self._again:
            self._again.cancel()
        self._again = self._timed = None
        self._watch()

    def status(self) -> dict[str, Any] | None:
        """Return the state of the store for a technician; None where none is configured."""
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
        """Start the timers while the store lacks entries, else stop them."""
        if self._store and self._store.sent != self._sent:
            self._sent = self._store.sent
            if self._sent and self._is_up and self._timed is None:
                self._timed = self._sent, self._loop.time()
        if self._store is None or not self._store.behind:
            self._rest()
        elif self._is_up and self._again is None:
            self._again = self._loop.call_later(self._wait.s, self._send_again)
            if self._silent is None:
                self._silent = self._loop.call_later(self._silent_s, self._warn)

    def _rest(self) -> None:
        for timer in (self._again, self._silent):
            if timer:
                timer.cancel()
        self._again = self._silent = None

    def _send_again(self) -> None:
        """Send a little of what the store lacks, and double the wait."""
        self._again = self._timed = None
        self._wait.longer()
        self._watch()
        self._size = FIRST_PART  # the store may be behind, and not lack anything
        self._to = self._store.sent if self._store else None
        if self._tried and not self._was_later and self._send_later_part():
            self._was_later = True
            return
        self._send_part()
        if self._tried is None or not self._was_later:
            self._tried = _end(self._part)
        self._was_later = False

    def _go_on(self) -> None:
        """Send the next part once the store has the last one within `AGAIN_S`, and nothing behind it.

        A store that has more, or says so later, is late, and lacks nothing there: what is on its way is not sent twice.
        """
        assert self._store
        if self._store.has(self._to):
            self._part = None
        elif self._part and self._store.cursor == _end(self._part) and self._loop.time() - self._part_s < AGAIN_S:
            self._size = min(2 * self._size, PART)
            self._send_part()

    def _send_part(self) -> None:
        if part := self._missing(None):
            self._part, self._part_s = part, self._loop.time()
            self._resend(part)

    def _send_later_part(self) -> bool:
        """Send a part behind those without answer, which may hold an unreadable entry; return whether there is one."""
        later = self._missing(self._tried)
        if later:
            self._resend(later)
            self._tried = _end(later)
        return later is not None

    def _missing(self, behind: Cursor | None) -> Range | None:
        assert self._store
        try:
            return self._store.missing(behind, self._size)
        except OSError as error:
            log.error("entries that the store lacks cannot be sent again: %s", in_words(error))
            return None

    def _warn(self) -> None:
        assert self._store
        at = self._store.cursor
        last: dict[str, Value] = {"entry": at.seq, "journal": at.journal} if at else {}
        self._table.warn("store_silent", store=self._store.name, seconds=round(self._silent_s), **last)

    def _turn_away(self, message: Incoming, error: NotStored) -> None:
        self._refused += 1
        refused = Answer(ok=False, code=error.code, values=error.values)
        why = "; ".join(filter(None, (worded(refused).error, worded(refused).hint)))
        self._why_refused = why
        if self._refused.bit_count() == 1:  # logs the 1st, 2nd, 4th, ..: a flood does not fill the log
            log.warning("a message on the topic stored was ignored (number %d): %s", self._refused, why)
        self._refuse(message, refused)


def _end(part: Range | None) -> Cursor | None:
    """Return the last entry of a part."""
    return Cursor(part.journal, part.to) if part and part.to else None
