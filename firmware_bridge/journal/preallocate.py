"""Journal files on disk: records on whole sectors, space filled ahead, the spare file, and errors of the disk."""

import errno
import os
from pathlib import Path
from typing import Final

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.book.failures import DiskError
from firmware_bridge.facts.book.refusals import Phrase, phrase

SECTOR: Final = 512
"""Bytes that a disk writes as a unit: no two records share a sector."""

LINE_FEED: Final = b"\n"
"""The byte that fills a journal file ahead: an empty line is not written yet."""

FILL: Final = b"\n\0"
"""Bytes of unwritten space: line feeds, and the zeros of a page that never reached the disk."""

STEP: Final = 65_536
"""Bytes that are filled at a time: enough for about 60 records, and quickly done."""

MOST_AHEAD: Final = 2 * STEP
"""Bytes that are filled ahead of the records at most."""

PIECE: Final = b"\n" * 4_096
"""Bytes of one write: larger ones make larger folios of the page cache, which every later sync scans."""

NAME: Final = "spare"
"""File name of the spare until it becomes a journal."""

NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
FAILING: Final = (errno.EROFS, errno.EIO)


class SyncFailed(BridgeError):
    """The disk did not confirm a write: its content is unknown, so the process must end and read it again."""

    def __init__(self, code: str, error: OSError) -> None:
        self.error = DiskError(phrase(code, error=_words(error)), phrase("replace_disk"), "disk_error")
        super().__init__(self.error.what, self.error.hint)


class FilledFile:
    """An open journal file: `length` bytes of records, then unwritten space.

    A record in space filled ahead changes neither the file's size nor its blocks, so a journaling file system syncs it
    with one flush. Without such space the file grows.
    """

    def __init__(self, path: Path, fd: int) -> None:
        self.path, self.length = path, 0
        self._fd, self._is_sound = fd, True
        self._size = os.fstat(fd).st_size

    @property
    def ahead(self) -> int:
        """Bytes that are filled ahead of the records."""
        return self._size - self.length

    def append(self, record: bytes) -> None:
        """Append a record and sync it.

        Raises DiskError, with nothing changed, if the disk did not accept all of it; SyncFailed if it did not confirm
        it, or if a part cannot be undone.
        """
        try:
            written = os.pwrite(self._fd, record, self.length)
            if written != len(record):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            self._undo(len(record))
            raise unwritable(error) from None
        self.sync()
        self.length += len(record)
        self._size = max(self._size, self.length)

    def sync(self) -> None:
        """Wait until all is on disk. Raises SyncFailed: the content is unknown then, and left alone."""
        try:
            os.fdatasync(self._fd)
        except OSError as error:
            self._is_sound = False
            raise SyncFailed("unconfirmed", error) from None

    def fill(self) -> None:
        """Fill one step ahead, and wait until that is on disk. Raises OSError: space filled before it is kept."""
        for _ in range(0, STEP, len(PIECE)):
            self._size += os.pwrite(self._fd, PIECE, self._size)
        os.fsync(self._fd)

    def unwritten(self) -> bytes:
        """Return the bytes behind the records. Raises OSError."""
        return os.pread(self._fd, self.ahead, self.length)

    def cut(self) -> None:
        """Cut off the space behind the records. Raises OSError."""
        if self.ahead and self._is_sound:
            os.ftruncate(self._fd, self.length)
            self._size = self.length

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)

    def _undo(self, length: int) -> None:
        """Undo a failed write. Raises SyncFailed."""
        try:
            if os.fstat(self._fd).st_size > self._size:
                os.ftruncate(self._fd, self._size)
            left = os.pread(self._fd, min(length, self.ahead), self.length).rstrip(FILL)
            if left and os.pwrite(self._fd, LINE_FEED * len(left), self.length) != len(left):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            self._is_sound = False
            raise SyncFailed("write_not_undone", error) from None


class Spare:
    """The spare file of a directory, filled ahead for the next journal; it never holds data that matters."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / NAME
        self._file: FilledFile | None = None

    @property
    def is_ready(self) -> bool:
        """Whether a file is filled ahead for the next journal."""
        return self._file is not None

    def clear(self) -> None:
        """Remove the file; one with a first record is of a journal that was never begun. Raises OSError."""
        if self._file:
            self._file.close()
            self._file = None
        self._path.unlink(missing_ok=True)

    def make(self) -> None:
        """Make the file and fill it. Raises OSError: then there is none."""
        self._file = self._made()
        try:
            self._file.fill()
        except OSError:
            self.clear()
            raise

    def begin(self, path: Path, record: bytes) -> FilledFile:
        """Make the spare a new journal at `path`; its first record is on disk before the file has that name.

        The caller syncs the directory. Raises DiskError, with nothing changed, if the disk did not accept all of it;
        SyncFailed if it did not confirm it.
        """
        try:
            file = self._file or self._made()
        except OSError as error:
            raise unwritable(error) from None
        self._file = file
        try:
            file.append(record)
            if path.exists():
                raise FileExistsError(17, "this journal exists already")
            self._path.rename(path)
        except DiskError:
            self._discard()
            raise
        except OSError as error:
            self._discard()
            raise unwritable(error) from None
        self._file, file.path = None, path
        return file

    def _made(self) -> FilledFile:
        fd = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        return FilledFile(self._path, fd)

    def _discard(self) -> None:
        try:
            self.clear()
        except OSError as error:
            raise SyncFailed("file_not_removed", error) from None


def padded(text: bytes) -> bytes:
    """Return a record: its text, blanks, and the LF at the end of its last sector."""
    return text.ljust(-(-(len(text) + 1) // SECTOR) * SECTOR - 1) + LINE_FEED


def is_fill(data: bytes) -> bool:
    """Return whether these bytes are unwritten space."""
    return not data.strip(FILL)


def content_size(path: Path) -> int:
    """Return the size of a journal file in bytes up to the end of its last record. Raises OSError."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            begin = max(0, end - STEP)
            file.seek(begin)
            if written := len(file.read(end - begin).rstrip(FILL)):
                return begin + written + 1
            end = begin
    return 0


def unwritable(error: OSError) -> DiskError:
    """Return the error for a failed write."""
    return _disk_error(phrase("journal_unwritable", error=_words(error)), error, phrase("check_mount"))


def unusable(directory: Path, error: OSError) -> DiskError:
    """Return the error for a directory where no journal can be read or begun."""
    why = phrase("directory_unusable", path=str(directory), error=_words(error))
    return _disk_error(why, error, phrase("correct_directory"))


def _disk_error(why: Phrase, error: OSError, usual: Phrase) -> DiskError:
    return DiskError(why, _remedy(error) or usual, "disk_full" if error.errno in NO_SPACE else "disk_error")


def _remedy(error: OSError) -> Phrase | None:
    """Return what to do about an error of the disk; None where that depends on what was tried."""
    if error.errno in NO_SPACE:
        return phrase("free_space")
    if error.errno in FAILING:
        return phrase("card_failing")
    if error.errno == errno.EISDIR and error.filename:
        return phrase("folder_in_place", path=os.fsdecode(error.filename))
    return None


def _words(error: OSError) -> str:
    return error.strerror or str(error)
