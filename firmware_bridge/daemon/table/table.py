"""Carries one input all the way: decide, journal, publish, acknowledge, show."""

import asyncio
import logging
import secrets
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Protocol

from firmware_bridge import __version__
from firmware_bridge.daemon.table.clock import nonce, now
from firmware_bridge.daemon.table.disk_outage import DiskOutage, DiskQueue
from firmware_bridge.daemon.table.look_ahead import LookAhead
from firmware_bridge.errors import DiskError
from firmware_bridge.facts import inputs
from firmware_bridge.facts.events import AnyEvent, CommandAnswered
from firmware_bridge.facts.house import House
from firmware_bridge.facts.orders import Answer
from firmware_bridge.facts.wire_states import Alarm, Alarms, Lamps
from firmware_bridge.journal.cursor import Crashes
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.preallocate import SyncFailed
from firmware_bridge.shoe import advance, decide, entry_of, fault, keeps_its_journal, observe
from firmware_bridge.shoe.handlers.disclosure import deadline
from firmware_bridge.shoe.state import answer_to
from firmware_bridge.topics.lamps import OBSERVING, STOPPED, lamps, signals, unguided, with_warnings
from firmware_bridge.topics.state import OwnTopics, alarms, snapshots

ASK_AGAIN_S: Final = 1.0
"""How soon a moment that has passed becomes an input again if the shoe still waits for it."""


class DeadlineTimer:
    """Calls `ring` once when the moment comes that it was set to last."""

    def __init__(self, ring: Callable[[], None], loop: asyncio.AbstractEventLoop) -> None:
        self._call, self._loop = ring, loop
        self._timer: asyncio.TimerHandle | None = None
        self._set_to: int | None = None

    def set(self, moment: int | None) -> None:
        """Ring at this moment (ms of the loop's clock) and at no other; None: not at all."""
        if moment == self._set_to:
            return
        self.stop()
        self._set_to = moment
        if moment is not None:
            is_past = moment <= now()["mono"]  # it was an input before, and not judged: not again at once
            self._timer = self._loop.call_at(self._loop.time() + ASK_AGAIN_S if is_past else moment / 1000, self._ring)

    def stop(self) -> None:
        """Ring no more."""
        if self._timer:
            self._timer.cancel()
        self._timer = self._set_to = None

    def _ring(self) -> None:
        self._timer = self._set_to = None
        self._call()


IDLE_S: Final = 0.005
"""A table where nothing was journaled for so long is idle: cards read at once come closer together."""


class JournalPrefill:
    """Prepares a journal step by step, each time it was appended to and then left alone for `IDLE_S`."""

    def __init__(self, journal: Journal, loop: asyncio.AbstractEventLoop) -> None:
        self._journal, self._loop = journal, loop
        self._timer: asyncio.TimerHandle | None = None
        self._is_dealing, self._last = False, 0.0

    def appended(self, is_dealing: bool) -> None:
        """An entry is on disk. is_dealing: more cards are to come into this journal."""
        self._is_dealing, self._last = is_dealing, self._loop.time()
        if self._timer is None and self._journal.wants_preparing(is_dealing):
            self._timer = self._loop.call_later(IDLE_S, self._step)

    def stop(self) -> None:
        """Prepare nothing more."""
        if self._timer:
            self._timer.cancel()
        self._timer = None

    def _step(self) -> None:
        self._timer = None
        if self._loop.time() >= self._last + IDLE_S:
            self._journal.prepare(self._is_dealing)
        if self._journal.wants_preparing(self._is_dealing):
            self._timer = self._loop.call_later(IDLE_S, self._step)


log = logging.getLogger(__name__)

CLOCK_JUMP_MS: Final = 2_000
"""The wall clock moving by more than this against the monotonic one is worth a note."""


class Lights(Protocol):
    """What shows lamps."""

    def show(self, lit: dict[str, str]) -> None:
        """Light these lamps with these rhythms, all others off."""


class Table:
    """Owns the way of an input at one table: decide, journal, publish, acknowledge, show.

    acknowledge: called with the number of each report that is on disk. publishing: makes of a line what publishes it
    once it is on disk. changed: called when something that the retained topics show may differ. looks_ahead: judge
    cards before they come, which takes some ms of processor for each; not where many tables share a process.
    Until `start`, which needs the journal open, no input is judged.
    """

    def __init__(
        self,
        journal: Journal,
        name: str,
        lights: Lights,
        acknowledge: Callable[[inputs.ReportNo], None],
        publishing: Callable[[Line], Callable[[], None]],
        changed: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
        looks_ahead: bool = True,
    ) -> None:
        self.journal, self.name, self.lights, self.shoe = journal, name, lights, journal.shoe
        self.boot = secrets.token_hex(4)
        self.begun, self.observing, self._own = False, False, OwnTopics()
        self._warnings: dict[str, Alarm] = {}
        self._failed: Exception | None = None
        self._acknowledge, self._publishing, self._changed, self._loop = acknowledge, publishing, changed, loop
        self._outage, self._queue, self._crashes = DiskOutage(), DiskQueue(), Crashes(journal.directory)
        self._retry: asyncio.TimerHandle | None = None
        self._deadline_timer, self._prefill = DeadlineTimer(self._ring, loop), JournalPrefill(journal, loop)
        self._ahead = LookAhead(loop) if looks_ahead else None
        self._wall_ahead: int | None = None
        self.jumped_ms = 0
        """How far the wall clock was set forwards since the start, all in all."""

    def start(self, house: House) -> None:
        """Say that the daemon began, now that the journal is open; `house` holds from the next shoe on."""
        self.shoe, self.begun = self.journal.shoe, True
        waited = self._queue.clear()
        stopped = self._outage.as_input() if self._outage.since else None
        self._outage.end()
        self.observing = self._crashes.too_many()
        if self.observing:
            log.critical("one input crashed us again and again: observing; update, or delete %s", self._crashes.path)
        started = inputs.Started(**now(), version=__version__, house=house, nonce=nonce(), torn=self.journal.torn)
        for fact in (started, *((stopped,) if stopped else ()), *waited):
            self.handle(fact)
        self._show()

    @property
    def disk(self) -> DiskError | None:
        """Why the journal takes nothing; None when it takes everything."""
        return self._outage.error

    def handle(self, fact: inputs.AnyInput) -> tuple[AnyEvent, ...]:
        """Judge an input and carry it all the way; the events it had, none while the disk takes nothing.

        Raises, from then on always, what must end the process: SyncFailed if the disk did not confirm, or an
        error of our own that could not even be journaled. The loop's exception handler gets it too, whoever called.
        """
        if self._failed:
            raise self._failed
        if self.disk:
            if self._queue.keep(fact) and self.begun:
                self._try_disk()  # at once: it may take this card already
            return ()
        try:
            self._watch_clock(fact)
            return self._journaled(fact)
        except DiskError as error:
            self._queue.keep(fact)
            self._try_again(error)
            return ()

    def order(self, fact: inputs.Ordered) -> Answer:
        """Give an order; a repeated id gets the answer it got the first time."""
        events = self.handle(fact)
        if self.disk:
            return Answer(ok=False, id=fact.id, error=self.disk.what, hint=self.disk.hint)
        for event in events:
            if isinstance(event, CommandAnswered):
                return event.answer
        return answer_to(self.shoe, fact.id) or Answer(ok=False, id=fact.id, error="not judged")

    def shown(self) -> Lamps:
        """What is lit and why: nothing is guided that is not on disk, and nothing by a bridge that only observes."""
        if self.disk:
            return unguided(self.disk.what, self.disk.irregularity)
        if self.observing:
            return unguided(OBSERVING, "observing")
        return with_warnings(lamps(self.shoe), self._warnings.values())

    def alarms(self) -> Alarms:
        """The irregularities that are open in the shoe, and what no shoe knows of: warnings, a disk that is lost."""
        return Alarms((*alarms(self.shoe), *self._warnings.values(), *self._outage.alarms()))

    def states(self) -> dict[str, Any]:
        """What the retained topics of the table hold now: topic -> an encodable value without the head."""
        return snapshots(self.shoe, self.shown(), self.alarms(), self._own)

    def warn(self, name: str, detail: str, todo: str) -> None:
        """Raise an alarm that stops nothing and is not journaled, once for each `name`, until `unwarn`."""
        if name not in self._warnings:
            log.warning("%s; %s", detail, todo)
            self._warnings[name] = Alarm(name, now()["at"], "warning", detail, todo, False, ())
            self._show()

    def unwarn(self, name: str) -> None:
        """What `warn` said is over."""
        if self._warnings.pop(name, None):
            self._show()

    def light(self, lights: Lights) -> None:
        """Show everything on these lamps from now on."""
        self.lights = lights
        self._show()

    def stop_for(self, error: DiskError) -> bool:
        """Show that nothing can be journaled, and why; whether that is news."""
        if is_news := self._outage.go_on(error):
            self._show()
        return is_news

    def close(self) -> None:
        """Lamps off, timers off."""
        self._deadline_timer.stop()
        self._prefill.stop()
        if self._ahead:
            self._ahead.stop()
        if self._retry:
            self._retry.cancel()
        self.lights.show({})

    def _journaled(self, fact: inputs.AnyInput) -> tuple[AnyEvent, ...]:
        try:
            return self._carried(fact)
        except DiskError:
            raise
        except Exception as error:
            self._failed = error
            if isinstance(error, SyncFailed):
                self.stop_for(DiskError(error.what, error.hint, "disk_error"))
            else:
                with suppress(OSError):
                    self._crashes.note(fact)
            self._loop.call_exception_handler({"message": "the table cannot go on", "exception": error})
            raise

    def _carried(self, fact: inputs.AnyInput) -> tuple[AnyEvent, ...]:
        events = self._judged(fact)
        if not events:
            return ()
        entry = entry_of(self.shoe, fact, events, self.name, self.boot)
        line = self.journal.seal(entry)
        publish = self._publishing(line)
        self.journal.append(line)
        publish()  # at once: a backend waits for it
        self.shoe = advance(self.shoe, entry)
        if report := inputs.report_of(fact):
            self._acknowledge(report)
        self._deadline_timer.set(deadline(self.shoe))
        self._prefill.appended(keeps_its_journal(self.shoe))
        if self._ahead and not self.observing:
            self._ahead.begin(self.shoe, fact)
        self._show()
        return events

    def _judged(self, fact: inputs.AnyInput) -> tuple[AnyEvent, ...]:
        """The events of an input: by `decide`, by `observe` while observing, or by `fault` where that fails."""
        try:
            if self.observing:
                return observe(self.shoe, fact)
            known = self._ahead.events(self.shoe, fact) if self._ahead else None
            return known or decide(self.shoe, fact)
        except Exception as error:
            # Its text might spell a sealed card; the journal holds the input.
            log.error("internal error while judging %s: %s", type(fact).__name__, type(error).__name__)
            return fault(self.shoe, fact, error)

    def _watch_clock(self, fact: inputs.AnyInput) -> None:
        """Note when the wall clock was set: it ran differently from the one that nobody can set."""
        ahead, before = fact.at - fact.mono, self._wall_ahead
        self._wall_ahead = ahead
        if before is not None and abs(ahead - before) > CLOCK_JUMP_MS:
            self.jumped_ms += ahead - before
            self._journaled(inputs.ClockJumped(salt=nonce(), at=fact.at, mono=fact.mono, by=ahead - before))

    def _ring(self) -> None:
        if self.disk is None:  # else the clock is set again by the first entry the disk takes
            self.handle(inputs.TimePassed(**now()))
            self._deadline_timer.set(deadline(self.shoe))

    def _show(self) -> None:
        driven = STOPPED if self.disk else {} if self.observing else signals(self.shoe)
        self.lights.show(self.shown().lit | driven)
        self._changed()

    def _try_again(self, error: DiskError) -> None:
        self.stop_for(error)
        self._retry = self._loop.call_later(self._queue.retry_s, self._try_disk)

    def _try_disk(self) -> None:
        """Journal what waits, then for how long the disk took nothing: once, when all of it is written."""
        if self.disk is None or self._failed:
            return
        if self._retry:
            self._retry.cancel()
        try:
            while len(self._queue):
                self._journaled(self._queue.first)
                self._queue.drop_first()
            self._journaled(self._outage.as_input())
        except DiskError as again:
            self._try_again(again)
        else:
            self._outage.end()
            log.warning("the journal can be written again")
            self._show()
