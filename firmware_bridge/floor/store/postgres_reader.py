"""Reads a store in a database of PostgreSQL beside the ingest."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg

from firmware_bridge.floor.record.message import Key
from firmware_bridge.floor.store import Counts
from firmware_bridge.floor.store import postgres_sql as sql
from firmware_bridge.floor.store.last_rounds import last_rounds
from firmware_bridge.floor.store.postgres_way import connected, in_words, verify_format


class PostgresReader:
    """A reader of the store in the database that a URL names, whose tables have to be there.

    Raises OtherFormat, StoreError.

    It has a connection of its own. What it asks is a transaction that only reads, holds no lock that the ingest waits
    for, and is given up after 4 s.
    """

    def __init__(self, url: str, password: str | None = None) -> None:
        ways = {"connect_timeout": 4, "tcp_user_timeout": 5_000, "application_name": "shoe-floor-reader"}
        self._place, self._db = connected(url, password, **ways)
        self._db.read_only = True
        try:
            with self._reading() as db:
                verify_format(db, self._place)
        except BaseException:
            self._db.close()
            raise

    def counts(self) -> Counts:
        """How much there is: the messages estimated, the others where they are many. Raises StoreError."""
        with self._reading() as db:
            return Counts(*(db.execute(sql.COUNTS).fetchone() or (0, 0, 0, 0)))

    def last_rounds(self, key: Key, shoe: int, most: int) -> list[bytes]:
        """The newest messages of the topic `round` of a table, the oldest first. Raises StoreError."""
        with self._reading() as db:
            return last_rounds(db.execute, sql, key, shoe, most)

    def close(self) -> None:
        """Leave the server."""
        self._db.close()

    @contextmanager
    def _reading(self) -> Iterator[psycopg.Connection[Any]]:
        with in_words(self._place), self._db.transaction():
            self._db.execute(sql.READS)
            yield self._db
