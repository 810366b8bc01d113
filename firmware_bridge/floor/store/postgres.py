"""The store in a database of PostgreSQL: every commit on its disk before it returns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg.sql import SQL, Identifier
from psycopg.types.numeric import Int8Dumper

from firmware_bridge.floor.record.ledger import Loaded, Previous, Progress
from firmware_bridge.floor.record.message import Key, Row, Unread
from firmware_bridge.floor.store import Old, Part, Saved, StoreError, What
from firmware_bridge.floor.store import postgres_sql as sql
from firmware_bridge.floor.store.postgres_way import connected, in_words, verify_format
from firmware_bridge.floor.store.sqlite_sql import ORDER

PAGE: Final = 2_000
"""Rows of an export that are fetched at once."""

COPIED: Final = 20
"""Rows from which on a COPY is quicker, with the savepoint that it needs."""


class PostgresStore:
    """A store in the database that a URL names, its tables made where there are none.

    Raises OtherFormat, with nothing written, for tables of another format; StoreError.
    """

    def __init__(self, url: str, password: str | None = None) -> None:
        self._all_new = True
        self._place, self._db = connected(url, password)
        try:
            with self._in_words():
                self._db.adapters.register_dumper(int, Int8Dumper)
                self._db.execute(sql.SESSION)
                self._make()
        except BaseException:
            self._db.close()
            raise

    def save(self, rows: Sequence[Row], unread: Sequence[Unread], progress: Sequence[Progress]) -> Saved:
        """Commit a batch, all of it or nothing. Raises StoreError."""
        # In the order of their keys: two writers never wait for each other in a circle.
        rows = sorted(rows, key=lambda row: row[:5])
        with self._transaction() as db, db.cursor() as cursor:
            fresh, others = self._insert(cursor, rows)
            for statement, values in (
                (sql.CONFLICT, [(*row[:5], row.received_at, *row[-2:]) for row in others]),
                (sql.QUARANTINE, sorted(unread)),
                (sql.PROGRESS, [(*each.key, *each[1:]) for each in sorted(progress)]),
            ):
                if values:
                    cursor.executemany(statement, values)
        return Saved(fresh, len(rows) - fresh - len(others), len(others))

    def load(self, key: Key) -> Loaded:
        """A journal as far as it is kept; nothing of it where it is unknown. Raises StoreError."""
        with self._in_words():
            shoe, whole, known, since = self._db.execute(sql.LOAD, key).fetchone() or (0, 0, 0, "")
            rows = [Row(*each) for each in self._db.execute(sql.BEHIND, (*key, whole))]
            previous = None if known else self._db.execute(sql.PREVIOUS, key).fetchone()
        before = Previous(*previous) if previous and previous[1] else None
        return Loaded(Progress(key, shoe, whole, known, since), rows, before)

    def lacking(self) -> list[Key]:
        """The journals that are not whole, or begun after what is still to be asked for. Raises StoreError."""
        with self._in_words():
            return [Key(*each) for each in self._db.execute(sql.LACKING)]

    def count(self, what: What) -> int:
        """How many rows there are. Raises StoreError."""
        with self._in_words():
            (found,) = self._db.execute(SQL("select count(*) from {}").format(Identifier(what))).fetchone() or (0,)
        return int(found)

    def columns(self, what: What) -> tuple[str, ...]:
        """The names of what `rows` gives. Raises StoreError."""
        return tuple("table" if name == "tbl" else name for name in self._names(what))

    def rows(self, what: What, table: str | None, journal: str | None) -> Iterator[tuple[object, ...]]:
        """All rows, of one table or journal where one is named; as they were when it began. Raises StoreError."""
        wanted = {"tbl": table, "journal": journal}
        named = {column: value for column, value in wanted.items() if value is not None}
        if missing := set(named) - set(self._names(what)):
            raise StoreError(f"{what} have no {' and no '.join(sorted(missing))}", "export all of them")
        where = SQL(" and ").join(SQL("{} = %s").format(Identifier(column)) for column in named)
        query = SQL("select * from {} where {} order by {}").format(
            Identifier(what), where if named else SQL("true"), SQL(ORDER[what])
        )
        with self._transaction() as db, db.cursor(name="rows") as cursor:
            cursor.itersize = PAGE
            yield from cursor.execute(query, list(named.values()))

    def newest(self) -> str:
        """The earlier time of the newest message, as the shoe had it and as it came; "" for none. Raises StoreError."""
        with self._in_words():
            at, came = self._db.execute(sql.NEWEST).fetchone() or ("", "")
        return min(at or "", came or "")

    def old(self, before: str) -> list[Old]:
        """The journals of which nothing was said, or came, since a time; the oldest first. Raises StoreError."""
        with self._in_words():
            return self._old(before, None)

    def expire(self, key: Key, before: str, now: str) -> Old | None:
        """Delete a journal, as `old` has it, and note that; None where it is not old, or stays. Raises StoreError."""
        with self._transaction() as db:
            db.execute(sql.LET_DELETE)  # from here on nobody else writes
            for found in self._old(before, key):
                if not found.stays:
                    db.execute(sql.EXPIRE, key)
                    db.execute(sql.NEVER_DELETE)
                    db.execute(sql.EXPIRED, (*key, *found[1:-1], now))
                    return found
            db.execute(sql.NEVER_DELETE)
        return None

    def _old(self, before: str, key: Key | None) -> list[Old]:
        named = {"before": before, "tbl": key and key.table, "journal": key and key.journal}
        query = sql.OLD.replace("{which}", sql.ONE if key else sql.ALL)
        return [Old(Key(*each[:2]), *each[2:]) for each in self._db.execute(query, named)]

    def faults(self) -> list[str]:
        """What is wrong with the server's settings and its disk, in words."""
        with self._in_words():
            unsafe = [
                f"the server runs with {each}: a power cut loses messages" for (each,) in self._db.execute(sql.UNSAFE)
            ]
            (damaged,) = self._db.execute(sql.DAMAGED).fetchone() or (0,)
        return [*unsafe, *([f"the server found {damaged} damaged pages"] if damaged else [])]

    def backup(self, target: Path) -> None:
        """Raise StoreError: PostgreSQL has a program for it."""
        raise StoreError("the store is in PostgreSQL", f"run pg_dump --format=custom --file={target} (docs/floor.md)")

    def grant(self, role: str, part: Part) -> None:
        """Let a role of the server do its part, and nothing else with these tables. Raises StoreError."""
        with self._transaction() as db:
            (schema,) = db.execute(sql.SCHEMA).fetchone() or ("public",)
            db.execute(SQL(sql.USAGE).format(Identifier(schema), Identifier(role)))
            for statement in (sql.NOTHING, *sql.GRANTS[part]):
                db.execute(SQL(statement).format(Identifier(role)))

    def close(self) -> None:
        """Leave the server."""
        self._db.close()

    def _insert(self, cursor: psycopg.Cursor[Any], rows: list[Row]) -> tuple[int, list[Row]]:
        """How many rows are new, and those whose key was there with other bytes."""
        if not rows or (self._all_new and len(rows) >= COPIED and self._copy(cursor, rows)):
            return len(rows), []
        cursor.executemany(sql.INSERT, rows)
        self._all_new = cursor.rowcount == len(rows)
        if (fresh := cursor.rowcount) == len(rows):
            return fresh, []
        keys = [list(column) for column in zip(*(row[:5] for row in rows), strict=True)]
        found = cursor.execute(sql.OTHERS, [*keys, [row.body for row in rows], [row.digest for row in rows]])
        return fresh, [rows[place - 1] for (place,) in found]

    def _copy(self, cursor: psycopg.Cursor[Any], rows: list[Row]) -> bool:
        """Whether all rows were new, and are written; where one was not, none is."""
        try:
            with self._db.transaction(), cursor.copy(sql.COPY) as copy:
                for row in rows:
                    copy.write_row(row)
        except psycopg.errors.UniqueViolation:
            return False
        return True

    def _names(self, what: What) -> list[str]:
        with self._in_words():
            described = self._db.execute(SQL("select * from {} limit 0").format(Identifier(what))).description
        return [each.name for each in described or ()]

    def _make(self) -> None:
        """Make the tables where there are none."""
        (encoding,) = self._db.execute(sql.ENCODING).fetchone() or ("",)
        if encoding != "UTF8":
            raise StoreError(f"{self._place} keeps texts as {encoding}", "make one with createdb --encoding UTF8")
        if verify_format(self._db, self._place):
            return
        with self._db.transaction():
            self._db.execute(sql.ONE_AT_A_TIME)
            if not verify_format(self._db, self._place):  # else another program was quicker
                self._db.execute(sql.TABLES)

    @contextmanager
    def _transaction(self) -> Iterator[psycopg.Connection[Any]]:
        with self._in_words(), self._db.transaction():
            yield self._db

    def _in_words(self) -> AbstractContextManager[None]:
        return in_words(self._place)
