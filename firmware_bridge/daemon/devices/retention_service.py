"""What is kept of the record, and whether the clock that dates it can be right."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

from firmware_bridge.config.sections import JournalConfig
from firmware_bridge.daemon.table.clock import clock
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.journal.cursor import Cursor, read_cursor
from firmware_bridge.journal.files import file_name
from firmware_bridge.journal.retention import DAY_S, KEEP_ALWAYS, LONGEST_REST_S, Retention, since

log = logging.getLogger(__name__)

EXPIRE_AFTER_S: Final = 1.0
"""A new file begins with a card, which is not kept waiting for old files."""

CLOCK_REMEDY: Final = "set it: sudo timedatectl set-ntp true; no journal is deleted for its age until then"


DISK_REMEDY: Final = "see why they wait: shoe check; or free some space"


class RetentionService:
    """Deletes at most one old journal each time one has `begun`. synced: the cursor, once on disk, or None."""

    def __init__(
        self, keep: JournalConfig, table: Table, synced: Callable[[], Cursor | None], loop: asyncio.AbstractEventLoop
    ) -> None:
        self._table, self._synced, self._loop = table, synced, loop
        self._warn_mb = keep.warn_mb
        self._retention = Retention(table.journal.directory, keep.keep_days, keep.max_mb)
        self._timer: asyncio.TimerHandle | None = None
        self._at_rest_s = 0.0

    def start(self) -> None:
        """Note how long ago the last entry was: the journal is open, and nothing is added to it yet."""
        self._at_rest_s = since(self._table.journal.last_at)

    def begun(self) -> None:
        """A new journal file was begun."""
        self._timer = self._loop.call_later(EXPIRE_AFTER_S, self._expire)

    def watch(self, free_mb: int | None) -> None:
        """Look after the clock, and the room on the journal's disk: None where nobody can tell."""
        self.watch_clock()
        if free_mb is not None and free_mb < self._warn_mb and (kept := self._not_sent()) > KEEP_ALWAYS:
            what = f"{free_mb} MB of disk are free, and {kept} journals are kept that were not sent, or not stored"
            self._table.warn("disk_low", what, DISK_REMEDY)
        else:
            self._table.unwarn("disk_low")

    def watch_clock(self) -> None:
        """Warn of a clock that ran ahead of the record by more than a table rests, while nobody keeps it."""
        ahead = self._at_rest_s + self._table.jumped_ms / 1000
        if ahead > LONGEST_REST_S and clock() != "synchronised":
            what = f"the clock is {ahead / DAY_S:.0f} days ahead of the last entry of the journal"
            self._table.warn("clock_jump", what, CLOCK_REMEDY)
        else:
            self._table.unwarn("clock_jump")

    def close(self) -> None:
        """Delete nothing more."""
        if self._timer:
            self._timer.cancel()

    def _not_sent(self) -> int:
        """Journals that wait for the broker, or for the store, the present one among them."""
        journal = self._table.journal
        try:
            cursor = read_cursor(journal.directory / "cursor")
        except OSError:
            return 0  # told by an alarm of its own
        return sum(cursor is None or path.name >= file_name(cursor.journal) for path in journal.files)

    def _expire(self) -> None:
        if synced := self._synced():
            files = list(self._table.journal.files)
            work = self._loop.run_in_executor(None, _expired, self._retention, synced, clock() == "synchronised", files)
            work.add_done_callback(self._forget)

    def _forget(self, work: asyncio.Future[Path | None]) -> None:
        if not work.cancelled() and (gone := work.result()):
            self._table.journal.forget(gone)


def _expired(retention: Retention, stored: Cursor, is_clock_right: bool, files: list[Path]) -> Path | None:
    """Delete a journal that was kept long enough (in a thread: it may look into all of them); the file that went."""
    try:
        gone = retention.expire(stored, is_clock_right, files)
    except OSError as error:
        log.warning("an old journal cannot be deleted (%s)", error)
        return None
    if gone:
        log.info("%s was kept long enough and is deleted", gone.name)
    return gone
