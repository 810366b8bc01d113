"""Retention of journals, and warnings about disk space and the clock."""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

from firmware_bridge.config.sections import JournalConfig
from firmware_bridge.daemon.table.clock import clock
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.errors import in_words
from firmware_bridge.journal.cursor import Cursor, read_cursor
from firmware_bridge.journal.files import file_name
from firmware_bridge.journal.retention import DAY_S, KEEP_ALWAYS, LONGEST_REST_S, Retention, since

log = logging.getLogger(__name__)

EXPIRE_AFTER_S: Final = 1.0
"""Seconds from a new file to the deletion of an old one: the card that begins a file goes first."""


class RetentionService:
    """Deletes at most one old journal each time one has `begun`.

    sync: syncs the cursor to disk, then calls its argument with it.
    """

    def __init__(
        self,
        keep: JournalConfig,
        table: Table,
        sync: Callable[[Callable[[Cursor], None]], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._table, self._sync, self._loop = table, sync, loop
        self._warn_mb = keep.warn_mb
        journal = table.journal
        self._retention = Retention(journal.directory, keep.keep_days, keep.max_mb, journal.tiles.secure)
        self._timer: asyncio.TimerHandle | None = None
        self._at_rest_s = 0.0

    def start(self) -> None:
        """Note the age of the last entry, with the journal open and nothing added yet."""
        self._at_rest_s = since(self._table.journal.last_at)

    def begun(self) -> None:
        """Look soon for journals to delete, as a new file was begun."""
        if self._timer is None:
            self._timer = self._loop.call_later(EXPIRE_AFTER_S, self._expire)

    def watch(self, free_mb: int | None) -> None:
        """Check the clock, and the free space on the journal's disk (None if unknown)."""
        self.watch_clock()
        if free_mb is not None and free_mb < self._warn_mb and (kept := self._not_sent()) > KEEP_ALWAYS:
            self._table.warn("disk_low", free_mb=free_mb, journals=kept)
        else:
            self._table.unwarn("disk_low")

    def watch_clock(self) -> None:
        """Warn of an unsynchronised clock that is ahead of the journal by more than `LONGEST_REST_S`."""
        ahead = self._at_rest_s + self._table.jumped_ms / 1000
        if ahead > LONGEST_REST_S and clock() != "synchronised":
            self._table.warn("clock_jump", days=round(ahead / DAY_S))
        else:
            self._table.unwarn("clock_jump")

    def close(self) -> None:
        """Stop deleting."""
        if self._timer:
            self._timer.cancel()

    def _not_sent(self) -> int:
        """Return the number of journals not sent, or not stored, the present one included."""
        journal = self._table.journal
        try:
            cursor = read_cursor(journal.directory / "cursor")
        except OSError:
            return 0  # another alarm reports it
        return sum(cursor is None or path.name >= file_name(cursor.journal) for path in journal.files)

    def _expire(self) -> None:
        self._timer = None
        self._sync(self._expire_before)

    def _expire_before(self, synced: Cursor) -> None:
        """Delete in a thread, which may read all files; the cursor is on disk."""
        files = list(self._table.journal.files)
        work = self._loop.run_in_executor(None, _expired, self._retention, synced, clock() == "synchronised", files)
        work.add_done_callback(self._forget)

    def _forget(self, work: asyncio.Future[Path | None]) -> None:
        if not work.cancelled() and (gone := work.result()):
            self._table.journal.forget(gone)


def _expired(retention: Retention, stored: Cursor, is_clock_right: bool, files: list[Path]) -> Path | None:
    """Delete a journal kept long enough (in a thread: it may read all of them); return the deleted file or None."""
    try:
        gone = retention.expire(stored, is_clock_right, files)
    except OSError as error:
        log.warning("an old journal cannot be deleted (%s)", in_words(error))
        return None
    if gone:
        log.info("%s was kept long enough and has been deleted", gone.name)
    return gone
