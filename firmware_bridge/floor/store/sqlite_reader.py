"""Reads a store in a file of SQLite beside the ingest."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

from firmware_bridge.floor.record.message import Key
from firmware_bridge.floor.store import Counts, StoreError
from firmware_bridge.floor.store import sqlite_sql as sql
from firmware_bridge.floor.store.last_rounds import last_rounds
from firmware_bridge.floor.store.sqlite import verify_format

BUSY_S: Final = 1.0


class SqliteReader:
    """A reader of the store in the file `path`, which has to be there. Raises OtherFormat, StoreError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        verify_format(path)
        with _in_words(path):
            self._db = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=BUSY_S)

    def counts(self) -> Counts:
        """How much there is: all exact. Raises StoreError."""
        with self._reading() as db:
            found = db.execute(sql.COUNTS).fetchone()
        return Counts(*(each or 0 for each in found))

    def last_rounds(self, key: Key, shoe: int, most: int) -> list[bytes]:
        """The newest messages of the topic `round` of a table, the oldest first. Raises StoreError."""
        with self._reading() as db:
            return last_rounds(db.execute, sql, key, shoe, most)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with _in_words(self._path):
            yield self._db


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}", "let the user of this program read it") from None
