"""The way of one input: decide, journal, publish, acknowledge, show."""

import asyncio
import logging
import secrets
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, NamedTuple, Protocol

from msgspec import Raw

from firmware_bridge import __version__
from firmware_bridge.daemon.table.budget import Budget
from firmware_bridge.daemon.table.clock import DeadlineTimer, nonce, now
from firmware_bridge.daemon.table.disk_outage import DiskOutage, DiskQueue, disk_out
from firmware_bridge.daemon.table.journal_writer import JournalWriter, StillWriting
from firmware_bridge.daemon.table.look_ahead import LookAhead
from firmware_bridge.daemon.table.refusals import Refusals
from firmware_bridge.facts import inputs
from firmware_bridge.facts.book.alarms import BRIDGE
from firmware_bridge.facts.book.failures import DiskError
from firmware_bridge.facts.book.refusals import Value
from firmware_bridge.facts.events import AnyEvent, CommandAnswered, Entry
from firmware_bridge.facts.house import House
from firmware_bridge.facts.orders import Answer, Malformed, refused
from firmware_bridge.facts.wire_states import Alarm, Alarms, Lamps
from firmware_bridge.journal.cursor import Crashes
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.preallocate import SyncFailed
from firmware_bridge.shoe import advance, decide, entry_of, fault, keeps_its_journal, observe
from firmware_bridge.shoe.handlers.disclosure import deadline
from firmware_bridge.shoe.order_counts import last_count
from firmware_bridge.shoe.state import answer_to
from firmware_bridge.topics.before import as_written
from firmware_bridge.topics.lamps import BLOCKED, OBSERVING, STOPPED, lamps, signals, unguided, with_warnings
from firmware_bridge.topics.state import OwnTopics, alarms, snapshots
from firmware_bridge.topics.texts.alarms import line

log = logging.getLogger(__name__)

RECENT: Final = 64
"""Events kept for the dealer's screen: enough for its last acts."""

CLOCK_JUMP_MS: Final = 2_000
"""Milliseconds between wall clock and monotonic clock from which a jump is journaled."""


class Lights(Protocol):
    """A panel of lamps."""

    def show(self, lit: dict[str, str]) -> None:
        """Light these lamps with these rhythms, all others off."""


class _Late(NamedTuple):
    """An input with an entry of `size` bytes that the disk has not confirmed yet, and what publishes it then."""

    fact: inputs.AnyInput
    entry: Entry
    publish: Callable[[], None]
    size: int


class Table:
    """Handles the inputs of one table: decide, journal, publish, acknowledge, show.

    acknowledge: called with the number of each report that is on disk. publishing: gives a function that publishes a
    line once it is on disk. changed: called when the retained topics may have changed. looks_ahead: whether cards are
    judged before they come, for some ms of CPU each; not where many tables share a process.
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
        self.begun, self.observing, self._is_closed, self._own = False, False, False, OwnTopics()
        self._warnings: dict[str, Alarm] = {}
        self._failed: Exception | None = None
        self._acknowledge, self._publishing, self._changed, self._loop = acknowledge, publishing, changed, loop
        self._outage, self._queue, self._crashes = DiskOutage(), DiskQueue(), Crashes(journal.directory)
        self._retry: asyncio.TimerHandle | None = None
        self._deadline_timer = DeadlineTimer(self._ring, loop)
        self._writer = JournalWriter(journal, self._written, loop)
        self._late: _Late | None = None
        self.refusals, self._is_count = Refusals(self.record_refused, loop, self._record_counts), False
        self.budget, self._watched_to = Budget(loop.time), 0
        self._ahead = LookAhead(loop) if looks_ahead else None
        self._wall_ahead: int | None = None
        self.recent = deque[Raw](maxlen=RECENT)
        """The newest events as published since the start, oldest first."""
        self.jumped_ms = 0
        """Milliseconds by which the wall clock was set forwards since the start, in total."""

    def start(self, house: House, **begun: Any) -> None:
        """Journal the start of the daemon, with the journal open; `house` is for the next shoe.

        begun: the other fields of `inputs.Started` that are known, such as `record`.
        """
        self.shoe, self.begun = self.journal.shoe, True
        waited = self._queue.clear()
        stopped = self._outage.as_input() if self._outage.is_of_disk else None
        self._outage.end()
        self.observing = self._crashes.too_many()
        if self.observing:
            what = (
                "the same input crashed this version again and again: only observing; update the software, or delete %s"
            )
            log.critical(what, self._crashes.path)
        torn, version = self.journal.torn, __version__
        started = inputs.Started(**now(), version=version, house=house, nonce=nonce(), torn=torn, **begun)
        for fact in (started, *((stopped,) if stopped else ()), *waited):
            self.handle(fact)
        self._show()

    @property
    def disk(self) -> DiskError | None:
        """The error that keeps the journal from being written; None if there is none."""
        return self._outage.error

    def handle(self, fact: inputs.AnyInput) -> tuple[AnyEvent, ...]:
        """Judge an input, journal and publish it; return its events, none in an outage of the disk or after `close`.

        Raises, then at every call, an error that must end the process: SyncFailed if the disk did not confirm, or an
        internal error that could not be journaled. The loop's exception handler gets it too.
        """
        if self._failed:
            raise self._failed
        if self._is_closed:
            return ()
        fact = self.budget.admitted(self.shoe, fact, self._judged)
        if self.disk:
            if self._queue.keep(fact) and self.begun:
                self._try_disk()  # at once: the disk may work again
            return ()
        try:
            self._watch_clock(fact)
            return self._journaled(fact)
        except StillWriting as error:
            if not self._is_late(fact):
                self._queue.keep(fact)
            self.stop_for(error)
            return ()
        except DiskError as error:
            self._queue.keep(fact)
            self._try_again(error)
            return ()

    def order(self, fact: inputs.Ordered) -> Answer:
        """Give an order; return its answer, the first one again for a repeated id.

        Raises StillWriting where the disk has not answered yet: the order takes effect if it does.
        """
        if counted := self.refusals.answer(fact.id, fact.digest):
            return counted
        events = self.handle(fact)
        if self._late and (self._is_late(fact) or self._is_writing(fact.id)):
            raise StillWriting
        if self.disk:
            return disk_out(self.disk, fact.id)
        answered = next((each.answer for each in events if isinstance(each, CommandAnswered)), None)
        return answered or answer_to(self.shoe, fact.id) or refused("not_judged", fact.id)

    def first_answer(self, id: str | None, digest: str | None) -> Answer | None:
        """Return the answer that a repeated order got, None for a new one. Raises StillWriting if it has none yet."""
        if self._is_writing(id):
            raise StillWriting
        known = answer_to(self.shoe, id)
        return known if known and known.digest == digest else self.refusals.answer(id, digest)

    def record_refused(self, refused: Malformed, by: str) -> bool:
        """Journal a line that counts refusals, so that none has a line of its own; return whether that is done."""
        if self.disk or self._failed or not self.begun:
            return False
        self._is_count = True
        try:
            return bool(self.handle(inputs.Ordered(**now(), order=refused, by=by, nonce=nonce())))
        finally:
            self._is_count = False

    def shown(self) -> Lamps:
        """Return the lamps and their reasons: no guiding during an outage of the disk, nor while only observing."""
        if self.disk:
            return unguided(self.disk.irregularity, self.disk.irregularity)
        if self.observing:
            return unguided(OBSERVING, "observing")
        return with_warnings(lamps(self.shoe), self._warnings.values())

    def alarms(self) -> Alarms:
        """Return the open irregularities of the shoe, the warnings, and an outage of the disk."""
        return Alarms((*alarms(self.shoe), *self._warnings.values(), *self._outage.alarms()))

    def states(self) -> dict[str, Any]:
        """Return the retained topics of the table: topic -> an encodable value without the head."""
        return snapshots(self.shoe, self.shown(), self.alarms(), self._own)

    def warn(self, alarm: str, /, **values: Value) -> None:
        """Raise an alarm that is not journaled, a row of `BRIDGE`, once until `unwarn`. values: of that row."""
        if alarm not in self._warnings:
            log.warning("%s", line("en", alarm, self.shoe.house.policy, values))
            house = BRIDGE[alarm].house
            self._warnings[alarm] = Alarm(alarm, now()["at"], house.severity, house.blocks, (), values=values)
            self._show()

    def unwarn(self, alarm: str, /) -> None:
        """Clear the alarm of `warn`."""
        if self._warnings.pop(alarm, None):
            self._show()

    def light(self, lights: Lights) -> None:
        """Replace the panel of lamps."""
        self.lights = lights
        self._show()

    def stop_for(self, error: DiskError) -> bool:
        """Show an outage of the disk; return whether that is news."""
        if is_news := self._outage.go_on(error):
            self._show()
        return is_news

    def close(self) -> None:
        """Switch lamps and timers off; counted refusals are journaled."""
        with suppress(SyncFailed):
            self.refusals.close()
        self._is_closed = True
        self.refusals.stop()
        self._deadline_timer.stop()
        self._writer.close()
        self._late = None  # on disk, and published by the next start
        if self._ahead:
            self._ahead.stop()
        if self._retry:
            self._retry.cancel()
        self.lights.show({})

    def _journaled(self, fact: inputs.AnyInput) -> tuple[AnyEvent, ...]:
        return self._guarded(fact, lambda: self._carried(fact))

    def _guarded(self, fact: inputs.AnyInput, step: Callable[[], tuple[AnyEvent, ...]]) -> tuple[AnyEvent, ...]:
        try:
            return step()
        except DiskError:
            raise
        except Exception as error:
            self._failed = error
            if isinstance(error, SyncFailed):
                self.stop_for(error.error)
            else:
                with suppress(OSError):
                    self._crashes.note(fact)
            self._loop.call_exception_handler({"message": "the table cannot go on", "exception": error})
            raise

    def _carried(self, fact: inputs.AnyInput) -> tuple[AnyEvent, ...]:
        events = self._judged(fact)
        if not events or (len(events) == 1 and not self._is_count and self.refusals.counts(fact, events)):
            return events
        entry = entry_of(self.shoe, fact, events, self.name, self.boot)
        entry = as_written(entry, self.journal.format_for(entry))
        line = self.journal.seal(entry)
        publish = self._publisher(line)
        try:
            self._writer.append(line)
        except StillWriting:
            self._late = _Late(fact, entry, publish, len(line.data))
            raise
        return self._finished(fact, entry, publish, len(line.data))

    def _publisher(self, line: Line) -> Callable[[], None]:
        publish = self._publishing(line)

        def published() -> None:
            publish()
            self.recent.extend(line.public.events)

        return published

    def _finished(
        self, fact: inputs.AnyInput, entry: Entry, publish: Callable[[], None], size: int
    ) -> tuple[AnyEvent, ...]:
        """Publish an entry that is on disk, and do the rest for its input; return its events."""
        publish()  # first: a backend waits for it
        self.budget.journaled(self.shoe, entry, size)
        self.shoe = advance(self.shoe, entry)
        if report := inputs.report_of(fact):
            self._acknowledge(report)
        self._deadline_timer.set(deadline(self.shoe))
        self._writer.appended(keeps_its_journal(self.shoe))
        if self._ahead and not self.observing:
            self._ahead.begin(self.shoe, fact)
        self._show()
        return entry.events

    def _record_counts(self, codes: dict[str, int], used: dict[str, int]) -> bool:
        """Journal refusals by their codes, and counts of keys that no entry has; return whether that is done."""
        new = {name: count for name, count in used.items() if count > last_count(self.shoe, name)}
        if self.disk or self._failed or not self.begun:
            return False
        return not (codes or new) or bool(self.handle(inputs.RefusalsCounted(**now(), why=codes, counts=new)))

    def _is_writing(self, id: str | None) -> bool:
        """Return whether an order with this id is what the disk has not answered yet."""
        return bool(self._late and id and getattr(self._late.fact, "id", None) == id)

    def _is_late(self, fact: inputs.AnyInput) -> bool:
        """Return whether this very input, or its refusal, is what the disk has not answered yet."""
        return self._late is not None and self._late.fact.salt == fact.salt

    def _written(self) -> None:
        """Go on with the entry that the disk has answered, late, then with the inputs behind it."""
        late, self._late = self._late, None
        if late is None or self._failed:
            return
        try:
            self._guarded(late.fact, lambda: self._go_on(late))
        except DiskError as error:
            self._queue.put_back(late.fact)
            self._try_again(error)
        except Exception:  # the loop's handler has it, and ends the process
            return
        else:
            self._try_disk()

    def _go_on(self, late: "_Late") -> tuple[AnyEvent, ...]:
        self._writer.result()
        return self._finished(*late)

    def _judged(self, fact: inputs.AnyInput) -> tuple[AnyEvent, ...]:
        """Return the events of an input: of `decide`, of `observe` while observing, or of `fault` after an error."""
        try:
            if self.observing:
                return observe(self.shoe, fact)
            known = self._ahead.events(self.shoe, fact) if self._ahead else None
            return known or decide(self.shoe, fact)
        except Exception as error:
            # The error's text might show a sealed card; the journal holds the input.
            log.error("internal error while judging %s: %s", type(fact).__name__, type(error).__name__)
            return fault(self.shoe, fact, error)

    def _watch_clock(self, fact: inputs.AnyInput) -> None:
        """Journal a jump of the wall clock against the monotonic one; an input that waited was stamped before it."""
        if fact.mono < self._watched_to:
            return
        ahead, before = fact.at - fact.mono, self._wall_ahead
        self._wall_ahead, self._watched_to = ahead, fact.mono
        if before is not None and abs(ahead - before) > CLOCK_JUMP_MS:
            self.jumped_ms += ahead - before
            self._journaled(
                inputs.ClockJumped(
                    salt=nonce(), at=fact.at, mono=fact.mono, utc_offset=fact.utc_offset, by=ahead - before
                )
            )

    def _ring(self) -> None:
        if self.disk is None:  # else the first entry on disk sets the timer again
            self.handle(inputs.TimePassed(**now()))
            self._deadline_timer.set(deadline(self.shoe))

    def _show(self) -> None:
        lit, is_observing = self.shown().lit, self.observing and not self.disk
        driven = {} if is_observing else STOPPED if lit == {"fault": BLOCKED} else signals(self.shoe)
        self.lights.show(lit | driven)
        self._changed()

    def _try_again(self, error: DiskError) -> None:
        self.stop_for(error)
        self._retry = self._loop.call_later(self._queue.retry_s, self._try_disk)

    def _try_disk(self) -> None:
        """Journal the queued inputs, then the outage itself once all are written."""
        if self.disk is None or self._failed or self._late:
            return
        if self._retry:
            self._retry.cancel()
        try:
            while len(self._queue):
                self._journaled(self._queue.first)
                self._queue.drop_first()
            self._journaled(self._outage.as_input())
        except StillWriting as slow:
            if len(self._queue) and self._is_late(self._queue.first):
                self._queue.drop_first()
            self.stop_for(slow)
        except DiskError as again:
            self._try_again(again)
        else:
            self._outage.end()
            log.warning("the journal can be written again")
            self._show()
