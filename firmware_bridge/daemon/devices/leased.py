"""Reader and pins lent to a technician: test cards are counted and journaled, and none is ever a card of a shoe."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from firmware_bridge.config.whole_file import write_whole
from firmware_bridge.daemon.table.clock import now
from firmware_bridge.daemon.table.leases import Leasable
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.facts import inputs
from firmware_bridge.facts.inputs import ReportNo
from hardware.errors import PinError

log = logging.getLogger(__name__)

LEFT_BEHIND: Final = "technician"
"""Left by `shoe calibrate` for the next daemon, in the journal's directory: a `LeftBehind` as JSON."""

RECORD_EVERY: Final = 64
"""Test cards from one journal entry to the next: far fewer than the 256 reports after which numbers come again."""

TRY_AGAIN_S: Final = 0.5
"""A borrower that was killed may hold its pins a moment longer."""


class LeasedReader:
    """The reader while it is lent `to` a technician, from the journal entry that says so to its last test card.

    cut_short: the lending did not end as it should. report: the last report taken, where the table does not know of it
    yet. is_quiet: the reader reported no test card since its last beat.
    """

    def __init__(self, table: Table, to: str, cut_short: bool = False, report: ReportNo | None = None) -> None:
        self._table, self._to, self.cut_short = table, to, cut_short
        self._report = report or table.shoe.device.reader
        self._count = 0
        self.is_quiet = False
        if not cut_short or table.shoe.device.lent != to:
            table.handle(inputs.ReaderBorrowed(**now(), by=to, taken=self._report))

    @property
    def report(self) -> ReportNo | None:
        """The last report that was taken, by the table or the technician."""
        return self._report

    def passed(self, report: ReportNo) -> None:
        """A test card passed."""
        self._count += report != self._report
        self._report = report
        if self._count == RECORD_EVERY:
            self.journal()

    def journal(self) -> None:
        """Journal the test cards not journaled yet: the shoe then takes none of them for a card of its own."""
        if self._count:
            taken, count = self._report, self._count
            self._table.handle(inputs.TestCardsPassed(**now(), count=count, by=self._to, taken=taken, lent=True))
            self._count = 0

    def leave_behind(self, restore: bytes) -> None:
        """Keep the bytes that put the reader's settings back for the next daemon, as the reader is gone."""
        try:
            leave(self._table.journal.directory, LeftBehind(self._report, 0, self._to, restore))
        except OSError as error:
            log.warning("what the reader is to be told cannot be kept (%s): calibrate it again", error)


class PinLease:
    """All pins, lent at once with the reader: no card is of a shoe until they are back. claim: raises PinError."""

    def __init__(
        self,
        reader: Leasable,
        let_go: Callable[[], None],
        claim: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._reader, self._let_go, self._claim, self._loop = reader, let_go, claim, loop
        self.is_out = False
        self._retry: asyncio.TimerHandle | None = None

    def lease(self, to: str) -> dict[str, Any]:
        """Journal that the pins are lent, then let go of reader and pins."""
        self._reader.lease(to)
        self._let_go()
        self.is_out = True
        return {}

    def passed(self, report: ReportNo) -> None:
        """No card passes a pin."""

    def reclaim(self, restore: bytes | None, cut_short: bool) -> None:
        """Claim the pins again, as soon as they can be had, and take cards again."""
        if not self.is_out:
            return
        try:
            self._claim()
        except PinError as error:
            log.warning("%s", error)
            self._retry = self._loop.call_later(TRY_AGAIN_S, self.reclaim, restore, cut_short)
        else:
            self.is_out = False
            self._reader.reclaim(restore, cut_short)

    def close(self) -> None:
        """Take nothing back any more."""
        self.is_out = False
        if self._retry:
            self._retry.cancel()


class LeftBehind(Struct, frozen=True):
    """Left by `shoe calibrate` for the next daemon: how many test cards passed, and the last report.

    by: the technician. restore: bytes that put the reader's settings back, where the command was killed before it
    had written them itself.
    """

    report: ReportNo | None
    count: int
    by: str
    restore: bytes = b""


def leave(directory: Path, left: LeftBehind) -> None:
    """Write the file for the next daemon, before a test card is acknowledged. Raises OSError."""
    write_whole(directory / LEFT_BEHIND, msgspec.json.encode(left))


def left_in(directory: Path) -> LeftBehind | None:
    """The content of the file in the journal's directory, None where there is none that makes sense."""
    path = directory / LEFT_BEHIND
    try:
        return msgspec.json.decode(path.read_bytes(), type=LeftBehind)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        log.warning("%s makes no sense (%s): it is ignored", path, error)
        return None


def report_left(table: Table) -> LeftBehind | None:
    """The content of the file, its test cards journaled: before the reader is asked for its reports."""
    left = left_in(table.journal.directory)
    if left and left.count:
        table.handle(inputs.TestCardsPassed(**now(), count=left.count, by=left.by, taken=left.report))
    return left


def delete_left(table: Table) -> None:
    """Delete the file: its content is journaled and the reader was restored."""
    (table.journal.directory / LEFT_BEHIND).unlink(missing_ok=True)
