"""A reader lent to a technician: what passes it is counted and put on record, and is never a card of a shoe."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from firmware_bridge.config.whole_file import write_whole
from firmware_bridge.facts import inputs
from firmware_bridge.facts.inputs import ReportNo
from firmware_bridge.table.stamps import now
from firmware_bridge.table.table import Table

log = logging.getLogger(__name__)

KEPT: Final = "technician"
"""The file that tells a daemon which was not running what passed the reader; in the journal's directory."""

RECORD_EVERY: Final = 64
"""Test cards from one record to the next: far fewer than the 256 reports after which their numbers come again."""


class Loan:
    """One loan of the reader, from the record that it begins until `record` after its last card.

    cut_short: it did not end as it should. report: the last report taken, where the table does not know of it yet.
    is_quiet: no test card was told since the reader's last beat.
    """

    def __init__(self, table: Table, to: str, cut_short: bool = False, report: ReportNo | None = None) -> None:
        self._table, self._to, self.cut_short = table, to, cut_short
        self._report = report or table.shoe.device.reader
        self._count = 0
        self.is_quiet = False
        if not cut_short or table.shoe.device.lent != to:
            table.take(inputs.ReaderBorrowed(**now(), by=to, taken=self._report))

    @property
    def report(self) -> ReportNo | None:
        """The last report that was taken, by the table or the technician."""
        return self._report

    def passed(self, report: ReportNo) -> None:
        """A test card passed."""
        self._count += report != self._report
        self._report = report
        if self._count == RECORD_EVERY:
            self.record()

    def record(self) -> None:
        """Put on record what has passed since the last record: the shoe then takes none of it for a card of its own."""
        if self._count:
            taken, count = self._report, self._count
            self._table.take(inputs.TestCardsPassed(**now(), count=count, by=self._to, taken=taken, lent=True))
            self._count = 0

    def keep_will(self, will: bytes) -> None:
        """The daemon ends, and the reader was not there to be told this: the next daemon tells it."""
        try:
            keep(self._table.journal.directory, Kept(self._report, 0, self._to, will))
        except OSError as error:
            log.warning("what the reader is to be told cannot be kept (%s): calibrate it again", error)


class Kept(Struct, frozen=True):
    """What a technician leaves who had the reader while no daemon ran.

    `count` test cards passed, and `report` is the last report taken; `will`: what the reader is to be told, because the
    command was killed before it had done so itself.
    """

    report: ReportNo | None
    count: int
    by: str
    will: bytes = b""


def keep(directory: Path, kept: Kept) -> None:
    """Leave word for the daemon, which is not running: before a test card is acknowledged. Raises OSError."""
    write_whole(directory / KEPT, msgspec.json.encode(kept))


def kept_in(directory: Path) -> Kept | None:
    """The word left in the journal's directory, None where there is none that makes sense."""
    path = directory / KEPT
    try:
        return msgspec.json.decode(path.read_bytes(), type=Kept)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        log.warning("%s makes no sense (%s): it is ignored", path, error)
        return None


def record_kept(table: Table) -> Kept | None:
    """Put on record what passed while no daemon ran, before the reader is asked for its reports; what was left."""
    kept = kept_in(table.journal.directory)
    if kept and kept.count:
        table.take(inputs.TestCardsPassed(**now(), count=kept.count, by=kept.by, taken=kept.report))
    return kept


def forget_kept(table: Table) -> None:
    """It is on record, and the reader was told: away with it."""
    (table.journal.directory / KEPT).unlink(missing_ok=True)
