"""Whether what a reader or a keypad sends is understood: its state, and when that is an alarm."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import UNSET, UnsetType

from firmware_bridge.daemon.table.clock import now
from firmware_bridge.errors import JournalError
from firmware_bridge.facts import events, inputs
from firmware_bridge.facts.book.measures import Heard
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.reader import Place, read_lines

Fault = Literal["", "not_understood", "unanswered"]
"""What is an alarm, "" for nothing: silence never is."""

QUIET_S: Final = 0.3
"""Seconds without a byte after which a burst is over: no module pauses as long within a frame."""

LONGEST_S: Final = 1.0
"""Seconds of bytes without a pause that are judged as one burst."""

SETTLES_S: Final = 2.0
"""Seconds after an opening in which bursts are counted and never alarm: greetings, and what waited in a buffer."""

INTERVAL_S: Final = 1.0
"""Bursts that begin in the same one of such times after the opening count once towards the alarm."""

BURSTS: Final = 3
"""Bursts that are an alarm, if none between them was understood."""

UNANSWERED: Final = 10
"""Times that a command is sent, once a second, before its silence is an alarm."""

SILENT_AFTER_S: Final = 600.0
"""Seconds after which a device that was understood is called silent: longer than any round."""


class Hearing:
    """Judges the bursts of one device on an event loop, from `opened` to `closed`.

    good: whole frames that its decoder has counted so far. waits: whether frames that came are still to be decoded.
    changed: called with each new `fault`. lost: called with the time at which a burst began of which nothing was
    understood. bursts_bad: such bursts since the start.
    """

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        good: Callable[[], int],
        waits: Callable[[], bool],
        changed: Callable[[Fault], None],
        lost: Callable[[float], None] = lambda _: None,
    ) -> None:
        self._loop, self._decoded, self._waits, self._changed, self._lost = loop, good, waits, changed, lost
        self.fault: Fault = ""
        self.bursts_bad = 0
        self._good = good()
        self._opened_at = loop.time()
        self._understood_at: float | None = None
        self._wall_ms: int | None = None
        self._answers = self._is_good = False
        self._begun_at: float | None = None
        self._byte_at = 0.0
        self._judging: asyncio.TimerHandle | None = None
        self._row: list[int] = []

    @property
    def state(self) -> Heard:
        """The state now."""
        if self._row or self.fault:
            return "not_understood"
        if self._wall_ms is None:
            return "not_heard"
        return "silent" if self._silent_s() > SILENT_AFTER_S else "understood"

    def status(self) -> dict[str, Any]:
        """Return state, fault, and when it was understood last (ms since 1970, None for never), for a technician."""
        return {"state": self.state, "fault": self.fault, "at": self._wall_ms, "bursts_bad": self.bursts_bad}

    def known(self, at: int) -> None:
        """Note that by the journal the device was understood at `at` (ms since 1970), before this start."""
        if self._wall_ms is None:
            self._wall_ms = at

    def opened(self) -> None:
        """Begin to listen, as the port was opened."""
        self._begin()
        self._opened_at = self._loop.time()

    def closed(self) -> None:
        """Drop what was heard, as the port is closed or lost: another alarm reports that."""
        self._begin()

    def received(self) -> None:
        """Note a chunk of bytes, once it is decoded."""
        self._byte_at = self._loop.time()
        if self._begun_at is None:
            self._begun_at, self._is_good = self._byte_at, False
            self._judging = self._loop.call_at(self._byte_at + QUIET_S, self._judge)
        self._take()

    def asked(self, unanswered: int) -> None:
        """Note, once a second, how often the present command was sent without an answer."""
        if unanswered >= UNANSWERED and not self._answers and not self.fault:
            self._set("unanswered")
        elif not unanswered and self.fault == "unanswered":
            self._set("")

    def _begin(self) -> None:
        if self._judging:
            self._judging.cancel()
        self._judging = self._begun_at = None
        self._answers = False
        self._row.clear()
        self._set("")

    def _take(self) -> None:
        """Look whether anything was understood since the last look."""
        before, self._good = self._good, self._decoded()
        if self._good == before:
            return
        self._understood_at, self._wall_ms = self._loop.time(), now()["at"]
        self._is_good = self._answers = True
        self._row.clear()
        self._set("")

    def _judge(self) -> None:
        """Judge the burst if it is over, else look again when it may be."""
        begun, at = self._begun_at, self._loop.time()
        assert begun is not None
        ends = min(self._byte_at + QUIET_S, begun + LONGEST_S)
        if self._waits():
            ends = at + QUIET_S
        if at < ends:
            self._judging = self._loop.call_at(ends, self._judge)
            return
        self._judging = self._begun_at = None
        self._take()
        if not self._is_good:
            self._count(begun)

    def _count(self, begun: float) -> None:
        """Count a burst of which nothing was understood."""
        self.bursts_bad += 1
        self._lost(begun)
        since = begun - self._opened_at
        second = int(since / INTERVAL_S)
        if since < SETTLES_S or second in self._row:
            return
        self._row = [*self._row, second][-BURSTS:]
        if len(self._row) == BURSTS:
            self._set("not_understood")

    def _set(self, fault: Fault) -> None:
        if fault != self.fault:
            self.fault = fault
            self._changed(fault)

    def _silent_s(self) -> float:
        """Return the seconds since something was understood; by the wall clock if that was before this start."""
        if self._understood_at is not None:
            return self._loop.time() - self._understood_at
        return (now()["at"] - (self._wall_ms or 0)) / 1000


FILES: Final = 3
"""Newest files that are looked at: a reader that said nothing in three shoes may as well be another one."""


def last_heard(directory: Path, config: str) -> int | None:
    """Return the time (ms since 1970) of the last card that the reader read under this config; None for none.

    config: the digest in `Code` of the config that is in use. An unread card counts for nothing.
    """
    for path in reversed(journal_files(directory)[-FILES:]):
        try:
            if at := _in_file(path, config):
                return at
        except (JournalError, OSError):  # deleted, or an export: the reader speaks again with the next card
            return None
    return None


def _in_file(path: Path, config: str) -> int | None:
    code: inputs.Code | UnsetType = UNSET
    at = None
    for line, _ in read_lines(Place(path, 0)):
        code = _code(line) or code
        if line.entry and _is_readers(line.entry.input) and (code is UNSET or code.config == config):
            at = line.entry.input.at
    return at


def _code(line: Line) -> inputs.Code | UnsetType:
    """Return the code that runs from this line on, where it says so."""
    if line.entry is None:
        return UNSET
    if isinstance(line.entry.input, inputs.Started):
        return line.entry.input.code
    found = (each.device.code for each in line.entry.events if isinstance(each, events.ShoeOpened) and each.device)
    return next(found, UNSET)


def _is_readers(fact: inputs.AnyInput) -> bool:
    """Return whether the reader was understood."""
    if isinstance(fact, inputs.CutCardSeen):
        return fact.by == "reader"
    return isinstance(fact, inputs.CardRead | inputs.ReaderJudged | inputs.ReaderBooted)
