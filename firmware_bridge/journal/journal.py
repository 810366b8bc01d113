"""The journal: append-only files, one per shoe, on disk before the world sees anything."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable
from pathlib import Path

from firmware_bridge.errors import DiskError, JournalError
from firmware_bridge.facts.entry import Entry
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.disk import SyncFailed, unusable, unwritable
from firmware_bridge.journal.files import file_name, journal_files
from firmware_bridge.journal.line import FIRST_CHAIN, Line, seal
from firmware_bridge.journal.lock import InUse, lock
from firmware_bridge.journal.refusal import refusal
from firmware_bridge.journal.trusted import begun_files, trusted_lines
from firmware_bridge.journal.walk import Place
from firmware_bridge.shoe import Shoe, advance


class Journal:
    """Owns the newest journal file of a directory from `open` to `close`; only one process may.

    shoe: what the file folds to. last_at: the time of its last line as the line has it, "" where there is none.
    begun: called once a new file exists, when old ones may go.
    """

    def __init__(self, directory: Path, begun: Callable[[], None] = lambda: None) -> None:
        self.directory, self._begun = directory, begun
        self.is_open = False
        self.shoe, self.last_at = Shoe(), ""
        self._fd = self._lock = self._folder = -1
        self._path: Path | None = None
        self._length, self._chain = 0, FIRST_CHAIN

    def open(self, cursor: Cursor | None) -> Journal:
        """Read the newest file, to append to it from now on; the journal itself.

        cursor: how far the backend's broker has it; what is missing at or before it refuses to open. Raises
        JournalError for a journal that cannot be trusted, InUse for another daemon's, DiskError if the directory
        cannot be used: then it may be opened again later.
        """
        try:
            self._lock = lock(self.directory)
            self._folder = os.open(self.directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            self._recover(cursor)
            self.is_open = True
        except InUse:
            raise
        except JournalError as error:
            raise refusal(error, self.directory) from None
        except SyncFailed as error:
            raise DiskError(error.what, error.hint, "disk_error") from None
        except OSError as error:
            raise unusable(self.directory, error) from None
        finally:
            if not self.is_open:
                self.close()
        return self

    @property
    def end(self) -> Place | None:
        """Where the next line of the newest file goes; None before the first line ever."""
        return Place(self._path, self._length) if self._path else None

    def append(self, entry: Entry) -> Line:
        """Put an entry on disk and return its line; it begins a new file if its number is 1.

        Raises DiskError, with nothing changed, if the disk took not all of it; SyncFailed if it did not
        confirm it, which must end the process.
        """
        line = seal(entry, self._chain)
        if entry.seq == 1:
            self._begin(line)
            self._begun()
        else:
            _write(self._fd, line.data, self._length)
            _sync(self._fd)
            self._length += len(line.data)
            self._chain = line.chain
        return line

    def close(self) -> None:
        """Give the file and the directory back."""
        for fd in (self._fd, self._folder, self._lock):
            if fd >= 0:
                os.close(fd)
        self._fd = self._folder = self._lock = -1
        self.is_open = False

    def _begin(self, line: Line) -> None:
        path = self.directory / file_name(line.public.journal)
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise unwritable(error) from None
        try:
            _write(fd, line.data, 0)
        except DiskError:
            os.close(fd)
            _remove(path)
            raise
        _sync(fd)
        _sync_folder(self._folder)
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self._path, self._length, self._chain = fd, path, len(line.data), line.chain

    def _recover(self, cursor: Cursor | None) -> None:
        self.shoe, self.last_at, self._path = Shoe(), "", None
        self._length, self._chain = 0, FIRST_CHAIN
        there = journal_files(self.directory)
        files = begun_files(there, cursor)
        if files != there:
            there[-1].unlink()
            _sync_folder(self._folder)
        if files:
            self._path = files[-1]
            self._fd = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
            _sync(self._fd)
        for line, place in trusted_lines(files, cursor):
            assert line.entry
            self.shoe = advance(self.shoe, line.entry)
            self._chain, self._length, self.last_at = line.chain, place.offset, line.public.at
        if files and os.fstat(self._fd).st_size > self._length:
            os.ftruncate(self._fd, self._length)
            _sync(self._fd)


def _write(fd: int, data: bytes, at: int) -> None:
    """Write at the end of a file, all or nothing. Raises DiskError; SyncFailed if a part cannot be taken back."""
    try:
        written = os.pwrite(fd, data, at)
        if written != len(data):
            raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes fitted")
    except OSError as error:
        _take_back(fd, at)
        raise unwritable(error) from None


def _take_back(fd: int, length: int) -> None:
    """Cut off what a failed write left; a disk that takes nothing at all need not take that either."""
    try:
        if os.fstat(fd).st_size > length:
            os.ftruncate(fd, length)
    except OSError as error:
        raise SyncFailed(f"a broken write cannot be undone ({error.strerror})", "replace the disk") from None


def _remove(path: Path) -> None:
    """Delete a file whose first line did not fit."""
    try:
        path.unlink()
    except OSError as error:
        raise SyncFailed(f"a broken file cannot be removed ({error.strerror})", "replace the disk") from None


def _sync(fd: int) -> None:
    try:
        os.fdatasync(fd)
    except OSError as error:
        raise SyncFailed(f"the disk did not confirm a write ({error.strerror})", "replace the disk") from None


def _sync_folder(fd: int) -> None:
    try:
        os.fsync(fd)
    except OSError as error:
        raise SyncFailed(f"the disk did not confirm a file ({error.strerror})", "replace the disk") from None
