"""Carries one input all the way: decide, journal, publish, acknowledge, show."""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final, Protocol

from firmware_bridge import __version__
from firmware_bridge.errors import DiskError
from firmware_bridge.facts import inputs
from firmware_bridge.facts.events import AnyEvent, CommandAnswered
from firmware_bridge.facts.house import House
from firmware_bridge.facts.orders import Answer
from firmware_bridge.facts.wire_states import Lamps
from firmware_bridge.journal.crashes import Crashes
from firmware_bridge.journal.journal import Journal, SyncFailed
from firmware_bridge.journal.line import Line
from firmware_bridge.shoe import advance, decide, entry_of, fault, observe
from firmware_bridge.shoe.judges.disclosure import deadline
from firmware_bridge.shoe.state import answer_to
from firmware_bridge.table.stamps import nonce, now
from firmware_bridge.topics.lamps import OBSERVING, STOPPED, lamps, signals, unguided

log = logging.getLogger(__name__)

RETRY_DISK_S: Final = 1.0
"""How often a full disk is tried again."""

CLOCK_JUMP_MS: Final = 2_000
"""The wall clock moving by more than this against the monotonic one is worth a note."""

ASK_AGAIN_S: Final = 1.0
"""How soon a moment that has passed becomes an input again if the shoe still waits for it."""

WAITING_AT_MOST: Final = 10_000
"""Inputs kept in memory while the disk is full; a reader that numbers its reports keeps them itself."""


class Lights(Protocol):
    """What shows lamps."""

    def show(self, lit: dict[str, str]) -> None:
        """Light these lamps with these rhythms, all others off."""


class Table:
    """Owns the way of an input at one table: decide, journal, publish, acknowledge, show.

    acknowledge: called with the number of each report that is on disk. lights: the lamps. published: called with each
    new line. changed: called when something that the retained topics show may be different.
    """

    def __init__(
        self,
        journal: Journal,
        name: str,
        lights: Lights,
        acknowledge: Callable[[inputs.ReportNo], None],
        published: Callable[[Line], None],
        changed: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self.journal, self.name, self.lights = journal, name, lights
        self.shoe = journal.shoe
        self.boot = secrets.token_hex(4)
        self.disk: DiskError | None = None
        self._failed: Exception | None = None
        self._crashes = Crashes(journal.directory)
        self.observing = self._crashes.too_many()
        self._acknowledge, self._published, self._changed, self._loop = acknowledge, published, changed, loop
        self._waiting: deque[inputs.AnyInput] = deque()
        self.disk_since = 0
        self._retry: asyncio.TimerHandle | None = None
        self._alarm_clock: asyncio.TimerHandle | None = None
        self._asked_for: int | None = None
        self._wall_ahead: int | None = None

    def start(self, house: House) -> None:
        """Say that the daemon began; `house` holds from the next shoe on."""
        if self.observing:
            log.critical("one input crashed us again and again: observing; update, or delete %s", self._crashes.path)
        self.take(inputs.Started(**now(), version=__version__, house=house, nonce=nonce()))
        self._show()

    def take(self, fact: inputs.AnyInput) -> tuple[AnyEvent, ...]:
        """Judge an input and carry it all the way; the events it had, none while the disk is full.

        Raises, from then on always, what must end the process: SyncFailed if the disk did not confirm, or an
        error of our own that could not even be journaled. The loop's exception handler gets it too, whoever called.
        """
        if self.disk:
            self._wait(fact)
            return ()
        try:
            self._watch_clock(fact)
            return self._journaled(fact)
        except DiskError as error:
            self._disk_lost(error)
            self._wait(fact)
            return ()

    def order(self, fact: inputs.Ordered) -> Answer:
        """Give an order; a repeated id gets the answer it got the first time."""
        events = self.take(fact)
        if self.disk:
            return Answer(ok=False, id=fact.id, error=self.disk.what, hint=self.disk.hint)
        for event in events:
            if isinstance(event, CommandAnswered):
                return event.answer
        return answer_to(self.shoe, fact.id) or Answer(ok=False, id=fact.id, error="not judged")

    def shown(self) -> Lamps:
        """What is lit and why, for the panel, the topic `lamps` and the status alike.

        Nothing is guided that is not on disk, and nothing by a bridge that only observes.
        """
        if self.disk:
            return unguided(self.disk.what, self.disk.irregularity)
        return unguided(OBSERVING, "observing") if self.observing else lamps(self.shoe)

    def light(self, lights: Lights) -> None:
        """Show everything on these lamps from now on."""
        self.lights = lights
        self._show()

    def close(self) -> None:
        """Lamps off, timers off."""
        for timer in (self._retry, self._alarm_clock):
            if timer:
                timer.cancel()
        self.lights.show({})

    def _journaled(self, fact: inputs.AnyInput) -> tuple[AnyEvent, ...]:
        if self._failed:
            raise self._failed
        try:
            return self._carried(fact)
        except DiskError:
            raise
        except Exception as error:
            self._failed = error
            if not isinstance(error, SyncFailed):
                with suppress(OSError):
                    self._crashes.note(fact)
            self._loop.call_exception_handler({"message": "the table cannot go on", "exception": error})
            raise

    def _carried(self, fact: inputs.AnyInput) -> tuple[AnyEvent, ...]:
        events = self._decided(fact)
        if not events:
            return ()
        entry = entry_of(self.shoe, fact, events, self.name, self.boot)
        line = self.journal.append(entry)
        self._published(line)  # at once: it needs the line alone, and a backend waits for it
        self.shoe = advance(self.shoe, entry)
        if report := inputs.report_of(fact):
            self._acknowledge(report)
        self._set_alarm_clock()
        self._show()
        return events

    def _decided(self, fact: inputs.AnyInput) -> tuple[AnyEvent, ...]:
        try:
            return observe(self.shoe, fact) if self.observing else decide(self.shoe, fact)
        except Exception as error:
            # Its text might spell a sealed card; the journal holds the input.
            log.error("internal error while judging %s: %s", type(fact).__name__, type(error).__name__)
            return fault(self.shoe, fact, error)

    def _watch_clock(self, fact: inputs.AnyInput) -> None:
        """Note when the wall clock was set: it ran differently from the one that nobody can set."""
        ahead, before = fact.at - fact.mono, self._wall_ahead
        self._wall_ahead = ahead
        if before is not None and abs(ahead - before) > CLOCK_JUMP_MS:
            self._journaled(inputs.ClockJumped(at=fact.at, mono=fact.mono, by=ahead - before))

    def _set_alarm_clock(self) -> None:
        """Ask the loop for a call when the moment comes that the shoe waits for."""
        wanted = deadline(self.shoe)
        if wanted == self._asked_for:
            return
        if self._alarm_clock:
            self._alarm_clock.cancel()
        self._asked_for = wanted
        if wanted is None:
            self._alarm_clock = None
            return
        is_past = wanted <= now()["mono"]  # it was an input before, and not judged: not again at once
        moment = self._loop.time() + ASK_AGAIN_S if is_past else wanted / 1000
        self._alarm_clock = self._loop.call_at(moment, self._ring)

    def _ring(self) -> None:
        self._asked_for = None
        if self.disk is None:  # else the clock is set again by the first entry the disk takes
            self.take(inputs.TimePassed(**now()))
            self._set_alarm_clock()

    def _show(self) -> None:
        driven = STOPPED if self.disk else {} if self.observing else signals(self.shoe)
        self.lights.show(self.shown().lit | driven)
        self._changed()

    def _disk_lost(self, error: DiskError) -> None:
        log.critical("%s", error)
        self.disk, self.disk_since = error, now()["at"]
        self._show()
        self._retry = self._loop.call_later(RETRY_DISK_S, self._try_disk)

    def _wait(self, fact: inputs.AnyInput) -> None:
        """Keep an input for later, in its order; a report that the reader says again is kept once."""
        report = inputs.report_of(fact)
        known = report is not None and any(inputs.report_of(each) == report for each in self._waiting)
        # Orders are not kept: their giver was answered. Reports beyond the limit are not acknowledged, so the reader
        # keeps them.
        if not (isinstance(fact, inputs.Ordered) or known or len(self._waiting) >= WAITING_AT_MOST):
            self._waiting.append(fact)

    def _try_disk(self) -> None:
        error = self.disk
        if error is None:
            return
        report = inputs.DiskFailed(
            at=self.disk_since, mono=now()["mono"], irregularity=error.irregularity, why=error.what, until=now()["at"]  # type: ignore[arg-type]  # a DiskError has only these two
        )
        try:
            if not self.shoe.journal:
                self._journal_waiting()  # a new device: its first inputs begin its journal
            self._journaled(report)
            self.disk = None
            self._journal_waiting()
        except DiskError as again:
            self.disk = again
            self._retry = self._loop.call_later(RETRY_DISK_S, self._try_disk)
        else:
            log.warning("the journal can be written again")
        self._show()

    def _journal_waiting(self) -> None:
        while self._waiting:
            self._journaled(self._waiting[0])
            self._waiting.popleft()
