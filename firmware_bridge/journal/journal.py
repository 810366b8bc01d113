"""The journal: append-only files, one per shoe, on disk before the world sees anything."""

from __future__ import annotations

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from firmware_bridge.errors import BridgeError, DiskError, JournalError
from firmware_bridge.facts.entry import Entry
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import file_name, journal_files, journal_id
from firmware_bridge.journal.line import FIRST_CHAIN, Line, seal
from firmware_bridge.journal.walk import Place, read_lines
from firmware_bridge.shoe import Shoe, advance

NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class SyncFailed(BridgeError):
    """The disk did not confirm a write: what is on it is unknown, so the process must end and read it again."""


class Journal:
    """Owns the newest journal file until `close`; only one process may. `shoe` is what the file folds to.

    cursor: how far the backend's broker has it; what is missing at or before it refuses to start.
    begun: called once a new file exists, when old ones may go.
    Raises JournalError for a journal that cannot be trusted, DiskError if the directory cannot be used.
    """

    def __init__(self, directory: Path, cursor: Cursor | None, begun: Callable[[], None] = lambda: None) -> None:
        self.directory, self._begun = directory, begun
        self.shoe, self._fd = Shoe(), -1
        self._path: Path | None = None
        self._length, self._chain = 0, FIRST_CHAIN
        self._lock = _lock(directory)
        try:
            self._recover(cursor)
        except BaseException as error:
            self.close()
            if isinstance(error, JournalError | OSError):
                raise refusal(error, directory) from None
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
            self._begun()
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
        self._fd, self._path, self._length, self._chain = fd, path, len(line.data), line.chain

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
        there = journal_files(self.directory)
        files = _begun(there, cursor)
        if files != there:
            there[-1].unlink()
            _sync_directory(self.directory)
        if files:
            self._path = files[-1]
            self._fd = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
            _sync(self._fd)
        for line, place in _trusted(files, cursor):
            assert line.entry
            self.shoe = advance(self.shoe, line.entry)
            self._chain, self._length = line.chain, place.offset
        if files and os.fstat(self._fd).st_size > self._length:
            os.ftruncate(self._fd, self._length)
            _sync(self._fd)


def verify_newest(directory: Path, cursor: Cursor | None) -> Path | None:
    """The newest file, read as a start reads it, though nothing is changed; None where there is no whole line.

    A daemon may be writing it, if `cursor` was read before. Raises JournalError for what a start refuses.
    """
    files = _begun(journal_files(directory), cursor)
    for _ in _trusted(files, cursor):
        pass
    return files[-1] if files else None


def refusal(error: JournalError | OSError, directory: Path) -> JournalError:
    """What refuses a start, and how the table deals again with a journal that cannot be restored."""
    what, hint = f"the journal cannot be read ({error})", "its user must own it; a failing card is in dmesg: replace it"
    if isinstance(error, JournalError):
        what, hint = error.what, error.hint
    anew = (
        "if you cannot, deal on with a new record: sudo systemctl stop firmware-bridge, "
        f"sudo mv {directory} {directory}.damaged, start it again (what is lost: shoe help damaged journal)"
    )
    return JournalError(what, f"{hint}; {anew}")


def _trusted(files: list[Path], cursor: Cursor | None) -> Iterator[tuple[Line, Place]]:
    """The lines of the newest file, each with the place behind it. Raises JournalError for what is not whole.

    They follow the file before; from the cursor on nothing is missing.
    """
    if cursor:
        _check_cursor(files, cursor)
    if not files:
        return
    newest, seq = files[-1], 0
    before = _last_chain(files[-2]) if len(files) > 1 else None
    for line, place in read_lines(Place(newest, 0), before=before):
        if line.entry is None:
            raise JournalError(f"{newest.name}: sealed parts are missing", "this is an export: restore it")
        seq = line.public.seq
        yield line, place
    if cursor and cursor.journal == journal_id(newest) and seq < cursor.seq:
        raise _removed(newest, seq, cursor)


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


def _begun(files: list[Path], cursor: Cursor | None) -> list[Path]:
    """All but a newest file whose first line is unfinished: the power went while it was written."""
    if not files or (cursor and cursor.journal == journal_id(files[-1])):
        return files
    with files[-1].open("rb") as file:
        return files if file.readline().endswith(b"\n") else files[:-1]


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
