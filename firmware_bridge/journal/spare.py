"""The spare: a file that is filled ahead before it is needed, and becomes the next journal by its new name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from firmware_bridge.errors import DiskError
from firmware_bridge.journal.disk import SyncFailed, unwritable
from firmware_bridge.journal.filled import FilledFile

NAME: Final = "spare"
"""What it is called until it is a journal."""


class Spare:
    """Keeps the spare of a directory, from `clear` on; nothing that matters is ever in it."""

    def __init__(self, directory: Path) -> None:
        self._path = directory / NAME
        self._file: FilledFile | None = None

    @property
    def is_ready(self) -> bool:
        """Whether a file is filled ahead for the next journal."""
        return self._file is not None

    def clear(self) -> None:
        """Remove the file: one with a first record is of a journal that was never begun. Raises OSError."""
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
        """The file of a new journal under its name, its first record on disk before it has it.

        The directory is left to be synced. Raises DiskError, with nothing changed, if the disk took not all of it;
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
                raise FileExistsError(17, "there is such a journal")
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
            raise SyncFailed(f"a broken file cannot be removed ({error.strerror})", "replace the disk") from None
