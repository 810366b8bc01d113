"""A journal file on disk: records from its beginning, then line feeds that the next ones overwrite in place."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Final

from firmware_bridge.journal.disk import SyncFailed, unwritable
from firmware_bridge.journal.sectors import FILL, LINE_FEED

STEP: Final = 65_536
"""Bytes that are filled at a time: enough for about 60 records, and soon done."""

MOST_AHEAD: Final = 2 * STEP
"""Bytes that are filled ahead of the records at most."""

PIECE: Final = b"\n" * 4_096
"""What is written at once: larger pieces make larger folios of the page cache, which every later sync looks through."""


class FilledFile:
    """An open journal file: `length` bytes of records, and whatever is behind them is not written yet.

    A record that overwrites what was filled changes neither the file's size nor its blocks, so a journaling file
    system syncs it with one flush. Without anything filled the file grows.
    """

    def __init__(self, path: Path, fd: int, length: int = 0) -> None:
        self.path, self.length = path, length
        self._fd, self._is_sound = fd, True
        self._size = max(os.fstat(fd).st_size, length)

    @property
    def ahead(self) -> int:
        """Bytes that are filled ahead of the records."""
        return self._size - self.length

    def append(self, record: bytes) -> None:
        """Put a record behind the others and sync it.

        Raises DiskError, with nothing changed, if the disk took not all of it; SyncFailed if it did not confirm it, or
        if a part cannot be taken back.
        """
        try:
            written = os.pwrite(self._fd, record, self.length)
            if written != len(record):
                raise OSError(errno.ENOSPC, f"only {written} of {len(record)} bytes fitted")
        except OSError as error:
            self._take_back(len(record))
            raise unwritable(error) from None
        self.sync()
        self.length += len(record)
        self._size = max(self._size, self.length)

    def sync(self) -> None:
        """Wait until all is on disk. Raises SyncFailed: what is there is unknown then, and left alone."""
        try:
            os.fdatasync(self._fd)
        except OSError as error:
            self._is_sound = False
            raise SyncFailed(f"the disk did not confirm a write ({error.strerror})", "replace the disk") from None

    def fill(self) -> None:
        """Fill one step ahead, and wait until that is on disk. Raises OSError: what was filled until then is kept."""
        for _ in range(0, STEP, len(PIECE)):
            self._size += os.pwrite(self._fd, PIECE, self._size)
        os.fsync(self._fd)

    def unwritten(self) -> bytes:
        """What stands behind the records. Raises OSError."""
        return os.pread(self._fd, self.ahead, self.length)

    def cut(self) -> None:
        """Cut off whatever is behind the records. Raises OSError."""
        if self.ahead and self._is_sound:
            os.ftruncate(self._fd, self.length)
            self._size = self.length

    def close(self) -> None:
        """Give the file back."""
        os.close(self._fd)

    def _take_back(self, length: int) -> None:
        """Undo what a failed write left; a disk that takes nothing at all need not take that either."""
        try:
            if os.fstat(self._fd).st_size > self._size:
                os.ftruncate(self._fd, self._size)
            left = os.pread(self._fd, min(length, self.ahead), self.length).rstrip(FILL)
            if left and os.pwrite(self._fd, LINE_FEED * len(left), self.length) != len(left):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            self._is_sound = False
            raise SyncFailed(f"a broken write cannot be undone ({error.strerror})", "replace the disk") from None


def content_size(path: Path) -> int:
    """Bytes of a journal file up to the end of its last record. Raises OSError."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        while end:
            begin = max(0, end - STEP)
            file.seek(begin)
            if written := len(file.read(end - begin).rstrip(FILL)):
                return begin + written + 1
            end = begin
    return 0
