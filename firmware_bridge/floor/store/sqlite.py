"""The store in a file of SQLite: write-ahead log, every commit on disk before it returns; and its reader."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, TypeVar
from urllib.parse import quote

from firmware_bridge.floor.record.ledger import Loaded, Previous, Progress
from firmware_bridge.floor.record.message import Key, Row, Unread, is_same
from firmware_bridge.floor.store import FORMAT, Counts, Old, OtherFormat, Part, Saved, StoreError, What, newest_rounds
from firmware_bridge.floor.store import sqlite_sql as sql

BUSY_S: Final = 30.0
"""How long another writer, a back-fill or a backup, is waited for."""

READER_BUSY_S: Final = 1.0
Found = TypeVar("Found")


class SqliteStore:
    """A store in the file `path`. make: whether it is made where there is none.

    Raises OtherFormat, with nothing written, for a store of another format; StoreError.
    """

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
                # Tables come with their format. In this order, for another process may make both between the two looks.
                if self._has_tables() and (found := self._version()) != FORMAT:
                    raise OtherFormat(str(path), found)
                self._db.execute("pragma journal_mode = wal").fetchall()
                self._db.execute("pragma synchronous = full")
                self._make()
            except BaseException:
                self._db.close()
                raise

    def save(self, rows: Sequence[Row], unread: Sequence[Unread], progress: Sequence[Progress]) -> Saved:
        """Commit a batch, all of it or nothing. Raises StoreError."""
        with self._transaction() as db:
            fresh = conflicts = 0
            for row in rows:
                if db.execute(sql.INSERT, row).rowcount:
                    fresh += 1
                elif not is_same(db.execute(sql.SAME, row[:5]).fetchone(), row[-2:]):
                    db.execute(sql.CONFLICT, (*row[:5], row.received_at, *row[-2:]))
                    conflicts += 1
            db.executemany(sql.QUARANTINE, unread)
            db.executemany(sql.PROGRESS, [(*each.key, *each[1:]) for each in progress])
        return Saved(fresh, len(rows) - fresh - conflicts, conflicts)

    def load(self, key: Key) -> Loaded:
        """A journal as far as it is kept; nothing of it where it is unknown. Raises StoreError."""
        with self._in_words():
            shoe, whole, known, since = self._db.execute(sql.LOAD, key).fetchone() or (0, 0, 0, "")
            rows = [Row(*each) for each in self._db.execute(sql.BEHIND, (*key, whole))]
            named = {"tbl": key.table, "journal": key.journal}
            previous = (None, None) if known else self._db.execute(sql.PREVIOUS, named).fetchone()
        return Loaded(Progress(key, shoe, whole, known, since), rows, Previous(*previous) if previous[1] else None)

    def lacking(self) -> list[Key]:
        """The journals that are not whole, or begun after what is still to be asked for. Raises StoreError."""
        return self._ask(lambda db: [Key(*each) for each in db.execute(sql.LACKING)])

    def count(self, what: What) -> int:
        """How many rows there are. Raises StoreError."""
        return self._ask(lambda db: int(db.execute(f"select count(*) from {what}").fetchone()[0]))

    def columns(self, what: What) -> tuple[str, ...]:
        """The names of what `rows` gives. Raises StoreError."""
        described = self._ask(lambda db: db.execute(f"select * from {what} limit 0").description)
        return tuple("table" if name == "tbl" else name for name, *_ in described)

    def rows(self, what: What, table: str | None, journal: str | None) -> Iterator[tuple[object, ...]]:
        """All rows, of one table or journal where one is named; as they were when it began. Raises StoreError."""
        wanted = {"tbl": table, "journal": journal}
        named = {column: value for column, value in wanted.items() if value is not None}
        if missing := set(named) - {column.replace("table", "tbl") for column in self.columns(what)}:
            raise StoreError(f"{what} have no {' and no '.join(sorted(missing))}", "export all of them")
        where = " and ".join(f"{column} = :{column}" for column in named) or "true"
        with self._in_words():
            yield from self._db.execute(f"select * from {what} where {where} order by {sql.ORDER[what]}", named)

    def newest(self) -> str:
        """The earlier time of the newest message, as the shoe had it and as it came; "" for none. Raises StoreError."""
        at, came = self._ask(lambda db: db.execute(sql.NEWEST).fetchone())
        return min(at or "", came or "")

    def old(self, before: str) -> list[Old]:
        """The journals of which nothing was said, or came, since a time; the oldest first. Raises StoreError."""
        with self._in_words():
            return self._old(before, None)

    def expire(self, key: Key, before: str, now: str) -> Old | None:
        """Delete a journal, as `old` has it, and note that; None where it is not old, or stays. Raises StoreError."""
        with self._transaction() as db:
            for found in self._old(before, key):
                if not found.stays:
                    db.execute(sql.LET_DELETE)
                    db.execute(sql.EXPIRE, key)
                    db.execute(sql.NEVER_DELETE)
                    db.execute(sql.EXPIRED, (*key, *found[1:-1], now))
                    return found
        return None

    def _old(self, before: str, key: Key | None) -> list[Old]:
        named = {"before": before, "tbl": key and key.table, "journal": key and key.journal}
        query = sql.OLD.replace("{which}", sql.ONE if key else sql.ALL)
        return [Old(Key(*each[:2]), *each[2:]) for each in self._db.execute(query, named)]

    def faults(self) -> list[str]:
        """What is wrong with the file, in words."""
        found = self._ask(lambda db: [each for (each,) in db.execute("pragma quick_check(10)")])
        return [each for each in found if each != "ok"]

    def backup(self, target: Path) -> None:
        """Write the store as it is now to a file of its owner alone, which appears whole, while others write."""
        fresh = target.with_name(f".{target.name}.{os.getpid()}")
        try:
            os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            with self._in_words():
                self._db.execute("vacuum into ?", (str(fresh),))
            with fresh.open("rb+") as file:
                os.fsync(file.fileno())
            fresh.replace(target)
        except OSError as error:
            raise StoreError(f"{target} cannot be written ({error})", "name another place") from None
        finally:
            fresh.unlink(missing_ok=True)

    def grant(self, role: str, part: Part) -> None:
        """Raise StoreError: a file has an owner and a mode."""
        raise StoreError("a file of SQLite has no roles", "its owner and its mode say who reads it")

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _look(self) -> None:
        try:
            self._path.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise self._none() from None
        except OSError as error:
            raise StoreError(f"{self._path}: {error.strerror}", "try it with sudo") from None

    def _none(self) -> StoreError:
        hint = "look at [store] path of floor.toml, and whether its disk is there; shoe-floor ingest makes a new store"
        return StoreError(f"there is no store at {self._path}", hint)

    def _version(self) -> int:
        (version,) = self._db.execute("pragma user_version").fetchone()
        return int(version)

    def _has_tables(self) -> bool:
        return self._db.execute("select 1 from sqlite_master limit 1").fetchone() is not None

    def _make(self) -> None:
        """Make the tables where there are none."""
        if self._version() == FORMAT:
            return
        with self._transaction() as db:
            if not self._has_tables():  # another process may have been quicker
                for statement in _statements(sql.TABLES):
                    db.execute(statement)
                db.execute(f"pragma user_version = {FORMAT}")

    def _ask(self, question: Callable[[sqlite3.Connection], Found]) -> Found:
        with self._in_words():
            return question(self._db)

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
            hint = "look at its disk, its owner, and with shoe-floor check at the file"
            raise StoreError(f"{self._path}: {error}", hint) from None


class SqliteReader:
    """A reader of the store in the file `path`, which has to be there. Raises OtherFormat, StoreError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        verify_format(path)
        with _in_words(path):
            self._db = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=READER_BUSY_S)

    def counts(self) -> Counts:
        """How much there is: all exact. Raises StoreError."""
        with self._reading() as db:
            found = db.execute(sql.COUNTS).fetchone()
        return Counts(*(each or 0 for each in found))

    def last_rounds(self, key: Key, shoe: int, most: int) -> list[bytes]:
        """The newest messages of the topic `round` of a table, the oldest first. Raises StoreError."""
        with self._reading() as db:
            return newest_rounds(db.execute, sql, key, shoe, most)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with _in_words(self._path):
            yield self._db


def verify_format(path: Path) -> None:
    """Look at a file's header, and write nothing: a usual connection makes files beside it. Raises OtherFormat."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            (found,) = db.execute("pragma user_version").fetchone()
    except sqlite3.Error:
        return  # the next connection finds the same
    if found not in (0, FORMAT):
        raise OtherFormat(str(path), found)


def _statements(script: str) -> Iterator[str]:
    """The statements of a script, triggers whole."""
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
        raise StoreError(f"{path}: {error}", "let the user of this program read it") from None
