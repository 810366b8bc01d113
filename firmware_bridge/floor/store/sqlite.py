"""Store and reader in a file of SQLite: write-ahead log, every commit on disk before it returns."""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from firmware_bridge.errors import in_words
from firmware_bridge.floor.record.ledger import Progress
from firmware_bridge.floor.record.message import Key, Row, Unread, is_same
from firmware_bridge.floor.record.state import Changes
from firmware_bridge.floor.store import FORMAT, Counts, Old, OtherFormat, Part, Reader, Saved, Store, StoreError, What
from firmware_bridge.floor.store import sqlite_sql as sql

BUSY_S: Final = 30.0
"""Longest wait for another writer, a back-fill or a backup."""

READER_BUSY_S: Final = 1.0


class SqliteStore(Store):
    """A store in the file `path`. make: whether to make a missing file.

    Raises OtherFormat, with nothing written, for a store of another format; StoreError.
    """

    _sql = sql
    _marker = "?"

    def __init__(self, path: Path, *, make: bool = True) -> None:
        self._path = path
        if not make:
            self._look()
        verify_format(path)
        with self._in_words():
            mode = "rwc" if make else "rw"
            self._db = sqlite3.connect(
                f"{path.absolute().as_uri()}?mode={mode}", timeout=BUSY_S, isolation_level=None, uri=True
            )
            try:
                if not make and not self._version():
                    raise self._none()
                # Tables first: another process may make both between the two checks, and tables come with their format.
                if self._has_tables() and (found := self._version()) != FORMAT:
                    raise OtherFormat(str(path), found)
                self._db.execute("pragma journal_mode = wal").fetchall()
                self._db.execute("pragma synchronous = full")
                self._make()
            except BaseException:
                self._db.close()
                raise

    def save(
        self,
        rows: Sequence[Row],
        unread: Sequence[Unread],
        progress: Sequence[Progress],
        record: Changes | None = None,
    ) -> Saved:
        with self._transaction() as db:
            fresh, kept = 0, []
            for row in rows:
                if db.execute(sql.INSERT, row).rowcount:
                    fresh += 1
                elif not is_same(db.execute(sql.SAME, row[:5]).fetchone(), row[-2:]):
                    db.execute(sql.CONFLICT, (*row[:5], row.received_at, *row[-2:]))
                    continue
                kept.append(row)
            db.executemany(sql.QUARANTINE, unread)
            db.executemany(sql.PROGRESS, [(*each.key, *each[1:]) for each in progress])
            if record:
                self._save_record(db, record)
            self._save_made(db, kept, record)
        return Saved(fresh, len(kept) - fresh, len(rows) - len(kept))

    def _many(self, db: Any, statement: str, values: Sequence[Any]) -> int:
        return int(db.executemany(statement, values).rowcount)

    def _alone(self, db: Any) -> AbstractContextManager[None]:
        return nullcontext()  # a transaction here is the only one that writes

    def rows(self, what: What, table: str | None, journal: str | None) -> Iterator[tuple[object, ...]]:
        named = self._wanted(what, table, journal)
        where = " and ".join(f"{column} = :{column}" for column in named) or "true"
        with self._in_words():
            yield from self._db.execute(f"select * from {what} where {where} order by {sql.ORDER[what]}", named)

    def expire(self, key: Key, before: str, now: str, *, quorum: bool = False) -> Old | None:
        with self._transaction() as db:
            for found in self._old(before, key, quorum=quorum):
                if not found.stays:
                    self._forget_facts(db, key)
                    db.execute(sql.LET_DELETE)
                    db.execute(sql.EXPIRE, key)
                    db.execute(sql.NEVER_DELETE)
                    db.execute(sql.EXPIRED, (*key, *found[1:-1], now))
                    return found
        return None

    def faults(self) -> list[str]:
        with self._in_words():
            return [each for (each,) in self._db.execute("pragma quick_check(10)") if each != "ok"]

    def backup(self, target: Path) -> None:
        """Write a copy of the store to a file, atomically, with mode 0600, while others write."""
        fresh = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            with self._in_words():
                self._db.execute("vacuum into ?", (str(fresh),))
            with fresh.open("rb+") as file:
                os.fsync(file.fileno())
            fresh.replace(target)
        except OSError as error:
            raise StoreError(f"{target} cannot be written ({in_words(error)})", "choose another file") from None
        finally:
            fresh.unlink(missing_ok=True)

    def grant(self, role: str, part: Part) -> None:
        """Raise StoreError: a file has an owner and a mode."""
        raise StoreError("an SQLite file has no roles", "set its owner and its mode instead")

    def _look(self) -> None:
        try:
            self._path.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise self._none() from None
        except OSError as error:
            raise StoreError(f"{self._path}: {error.strerror}", "try it with sudo") from None

    def _none(self) -> StoreError:
        hint = "check [store] path of floor.toml, and that its disk is mounted; shoe-floor ingest makes a new store"
        return StoreError(f"there is no store at {self._path}", hint)

    def _version(self) -> int:
        (version,) = self._db.execute("pragma user_version").fetchone()
        return int(version)

    def _has_tables(self) -> bool:
        return self._db.execute("select 1 from sqlite_master limit 1").fetchone() is not None

    def _make(self) -> None:
        """Make the tables if there are none."""
        if self._version() == FORMAT:
            return
        with self._transaction() as db:
            if not self._has_tables():  # another process may have made them
                for statement in _statements(sql.TABLES):
                    db.execute(statement)
                db.execute(f"pragma user_version = {FORMAT}")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._in_words():
            self._db.execute("begin immediate")
            try:
                yield self._db
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            hint = "check its disk and its owner, and run shoe-floor check"
            raise StoreError(f"{self._path}: {error}", hint) from None


class SqliteReader(Reader):
    """A reader of the store in the existing file `path`. Raises OtherFormat, StoreError."""

    _sql = sql
    _marker = "?"

    def __init__(self, path: Path) -> None:
        self._path = path
        verify_format(path)
        with _in_words(path):
            self._db = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=READER_BUSY_S)

    def counts(self) -> Counts:
        """Exact counts of the store. Raises StoreError."""
        with self._reading() as db:
            found = db.execute(sql.COUNTS).fetchone()
        return Counts(*(each or 0 for each in found))

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with _in_words(self._path):
            yield self._db


def verify_format(path: Path) -> None:
    """Check the header of a file, without the extra files of a usual connection. Raises OtherFormat."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            (found,) = db.execute("pragma user_version").fetchone()
    except sqlite3.Error:
        return  # the next connection raises it
    if found not in (0, FORMAT):
        raise OtherFormat(str(path), found)


def _statements(script: str) -> Iterator[str]:
    """The statements of a script; a trigger is one statement."""
    statement = ""
    for part in script.split(";"):
        statement += part + ";"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}", "allow the user of this program to read it") from None
