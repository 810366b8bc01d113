"""The journal: append-only files, one per shoe, on disk before the world sees anything."""

from __future__ import annotations

import errno
import fcntl
import os
from pathlib import Path
from typing import Final

from firmware_bridge.cursor import Cursor
from firmware_bridge.errors import BridgeError, DiskError, JournalError
from firmware_bridge.facts.entry import Entry
from firmware_bridge.journal_lines import Place, file_name, journal_files, journal_id, read_lines
from firmware_bridge.line import FIRST_CHAIN, Line, seal
from firmware_bridge.shoe import Shoe, advance

NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class SyncFailed(BridgeError):
    """The disk did not confirm a write: what is on it is unknown, so the process must end and read it again."""


class Journal:
    """Owns the newest journal file until `close`; only one process may. `shoe` is what the file folds to.

    cursor: how far the backend's broker has it; what is missing at or before it refuses to start.
    Raises JournalError for a journal that cannot be trusted, DiskError if the directory cannot be used.
    """

    def __init__(self, directory: Path, cursor: Cursor | None) -> None:
        self.directory = directory
        self.shoe = Shoe()
        self._fd = -1
        self._path: Path | None = None
        self._length = 0
        self._chain = FIRST_CHAIN
        self._lock = _lock(directory)
        try:
            self._recover(cursor)
        except BaseException:
            self.close()
            raise

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
        else:
            self._write(self._fd, line.data, self._length)
            _sync(self._fd)
        self._length += len(line.data)
        self._chain = line.chain
        return line

    def close(self) -> None:
        """Give the file and the directory back."""
        for fd in (self._fd, self._lock):
            if fd >= 0:
                os.close(fd)
        self._fd = self._lock = -1

    def _begin(self, line: Line) -> None:
        path = self.directory / file_name(line.public.journal)
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise _disk_error(error) from None
        try:
            self._write(fd, line.data, 0)
        except DiskError:
            os.close(fd)
            path.unlink()
            raise
        _sync(fd)
        _sync_directory(self.directory)
        if self._fd >= 0:
            os.close(self._fd)
        self._fd, self._path, self._length = fd, path, 0

    def _write(self, fd: int, data: bytes, at: int) -> None:
        try:
            written = os.pwrite(fd, data, at)
            if written != len(data):
                raise OSError(errno.ENOSPC, f"only {written} of {len(data)} bytes fitted")
        except OSError as error:
            try:
                os.ftruncate(fd, at)
            except OSError as second:
                raise SyncFailed(f"a broken write cannot be undone ({second})", "replace the disk") from None
            raise _disk_error(error) from None

    def _recover(self, cursor: Cursor | None) -> None:
        files = journal_files(self.directory)
        if files and _torn_at_birth(files[-1]) and not (cursor and cursor.journal == journal_id(files[-1])):
            files.pop().unlink()
            _sync_directory(self.directory)
        if cursor:
            _check_cursor(files, cursor)
        if not files:
            return
        self._path = files[-1]
        self._fd = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
        _sync(self._fd)
        before = _last_chain(files[-2]) if len(files) > 1 else None
        for line, place in read_lines(Place(self._path, 0), before=before):
            if line.entry is None:
                raise JournalError(f"{self._path.name}: sealed parts are missing", "this is an export: restore it")
            self.shoe = advance(self.shoe, line.entry)
            self._chain, self._length = line.chain, place.offset
        if cursor and cursor.journal == journal_id(self._path) and self.shoe.seq < cursor.seq:
            raise _removed(self._path, self.shoe.seq, cursor)
        if os.fstat(self._fd).st_size > self._length:
            os.ftruncate(self._fd, self._length)
            _sync(self._fd)


def _check_cursor(files: list[Path], cursor: Cursor) -> None:
    """Everything from the cursor on must still be here."""
    numbers = [int(path.name.split("-")[0]) for path in files if path.name >= file_name(cursor.journal)]
    first = int(cursor.journal.split("-")[0])
    if not numbers or numbers != list(range(first, first + len(numbers))):
        have = ", ".join(map(str, numbers)) or "none"
        raise JournalError(
            f"journal files from {file_name(cursor.journal)} on are missing (there are: {have})",
            "restore them; the broker was already sent what was in them",
        )
    before = None
    for path in files[-len(numbers) : -1]:  # the newest is read when it is folded
        count = 0
        for line, _ in read_lines(Place(path, 0), before):
            before, count = line.chain, line.public.seq
        if journal_id(path) == cursor.journal and count < cursor.seq:
            raise _removed(path, count, cursor)


def _removed(path: Path, have: int, cursor: Cursor) -> JournalError:
    return JournalError(
        f"{path.name} ends after line {have}, but the broker has had line {cursor.seq}",
        "lines were removed: restore the file",
    )


def _torn_at_birth(path: Path) -> bool:
    """Whether the power went while the first line of a file was written."""
    with path.open("rb") as file:
        return not file.readline().endswith(b"\n")


def _last_chain(path: Path) -> str:
    chain = FIRST_CHAIN
    for line, _ in read_lines(Place(path, 0)):
        chain = line.chain
    return chain


def _lock(directory: Path) -> int:
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        fd = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise _disk_error(error) from None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(fd)
        raise JournalError(
            f"another daemon uses {directory}", "stop it first: systemctl stop firmware-bridge"
        ) from None
    return fd


def _sync(fd: int) -> None:
    try:
        os.fdatasync(fd)
    except OSError as error:
        raise SyncFailed(f"the disk did not confirm a write ({error.strerror})", "replace the disk") from None


def _sync_directory(directory: Path) -> None:
    fd = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    except OSError as error:
        raise SyncFailed(f"the disk did not confirm a file ({error.strerror})", "replace the disk") from None
    finally:
        os.close(fd)


def _disk_error(error: OSError) -> DiskError:
    full = error.errno in NO_SPACE
    return DiskError(
        f"the journal cannot be written ({error.strerror})",
        "free some space: `shoe check` says how much is needed" if full else "check the disk and its mount",
        "disk_full" if full else "disk_error",
    )
