"""Reader and pins leased to a technician: test cards are counted and journaled, and never count as cards of a shoe."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import UNSET, Struct, UnsetType

from firmware_bridge.config.whole_file import write_whole
from firmware_bridge.daemon.table.clock import now
from firmware_bridge.daemon.table.leases import Leasable
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.errors import in_words
from firmware_bridge.facts import inputs
from firmware_bridge.facts.decoding import from_json
from firmware_bridge.facts.inputs import Person, ReportNo
from hardware.errors import PinError

log = logging.getLogger(__name__)

LEFT_BEHIND: Final = "technician"
"""File that `shoe calibrate` leaves for the next daemon, in the journal's directory: a `LeftBehind` as JSON."""

RECORD_EVERY: Final = 64
"""Test cards per journal entry: far fewer than the 256 reports after which their numbers repeat."""

TRY_AGAIN_S: Final = 0.5
"""Seconds before the next attempt: a technician's command that was killed may hold its pins a moment longer."""


class LeasedReader:
    """The reader leased `to` a technician, from the journal entry of the lease to its last test card.

    cut_short: the lease did not end properly. report: the last report handled, where the table does not know it yet.
    is_quiet: no test card was reported since the reader's last beat.
    """

    def __init__(
        self,
        table: Table,
        to: str,
        cut_short: bool = False,
        report: ReportNo | None = None,
        person: Person | UnsetType = UNSET,
    ) -> None:
        self._table, self._to, self.cut_short = table, to, cut_short
        self._report = report or table.shoe.device.reader
        self._count = 0
        self.is_quiet = False
        if not cut_short or table.shoe.device.lent != to:
            table.handle(inputs.ReaderBorrowed(**now(), by=to, taken=self._report, person=person))

    @property
    def report(self) -> ReportNo | None:
        """The last report that the table or the technician handled."""
        return self._report

    def passed(self, report: ReportNo) -> None:
        """Count a test card."""
        self._count += report != self._report
        self._report = report
        if self._count == RECORD_EVERY:
            self.journal()

    def journal(self) -> None:
        """Journal the test cards not journaled yet, so that none counts as a card of the shoe."""
        if self._count:
            taken, count = self._report, self._count
            self._table.handle(inputs.TestCardsPassed(**now(), count=count, by=self._to, taken=taken, lent=True))
            self._count = 0

    def leave_behind(self, restore: bytes) -> None:
        """Keep the bytes that restore the reader's settings for the next daemon, as the reader is lost."""
        try:
            leave(self._table.journal.directory, LeftBehind(self._report, 0, self._to, restore))
        except OSError as error:
            lost = "the reader's settings cannot be kept for the next start (%s): calibrate it again"
            log.warning(lost, in_words(error))


class PinLease:
    """All pins, leased together with the reader: cards are test cards until then. claim: raises PinError."""

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

    def lease(self, to: str, person: Person | UnsetType = UNSET) -> dict[str, Any]:
        """Journal the lease, then release reader and pins."""
        self._reader.lease(to, person)
        self._let_go()
        self.is_out = True
        return {}

    def passed(self, report: ReportNo) -> None:
        """Ignore reports: no card passes a pin."""

    def reclaim(self, restore: bytes | None, cut_short: bool) -> None:
        """Claim the pins again, as soon as they are free, then reclaim the reader."""
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
        """Stop trying to reclaim."""
        self.is_out = False
        if self._retry:
            self._retry.cancel()


class LeftBehind(Struct, frozen=True):
    """Content of the file for the next daemon: the number of test cards, and the last report.

    by: the technician. restore: bytes that restore the reader's settings, where the command was killed before it had
    written them itself.
    """

    report: ReportNo | None
    count: int
    by: str
    restore: bytes = b""


def leave(directory: Path, left: LeftBehind) -> None:
    """Write the file for the next daemon, before a test card is acknowledged. Raises OSError."""
    write_whole(directory / LEFT_BEHIND, msgspec.json.encode(left))


def left_in(directory: Path) -> LeftBehind | None:
    """Return the content of the file in the journal's directory, None where there is none that is valid."""
    path = directory / LEFT_BEHIND
    try:
        return from_json(path.read_bytes(), LeftBehind)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        log.warning("%s is not valid (%s): it is ignored", path, error)
        return None


def report_left(table: Table) -> LeftBehind | None:
    """Journal the test cards in the file, before the reader is asked for its reports; return its content."""
    left = left_in(table.journal.directory)
    if left and left.count:
        table.handle(inputs.TestCardsPassed(**now(), count=left.count, by=left.by, taken=left.report))
    return left


def delete_left(table: Table) -> None:
    """Delete the file, after its content is journaled and the reader restored."""
    (table.journal.directory / LEFT_BEHIND).unlink(missing_ok=True)
