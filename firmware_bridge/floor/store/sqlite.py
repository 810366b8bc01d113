"""Store and reader in a file of SQLite: write-ahead log, every commit on disk before it returns."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from firmware_bridge.errors import in_words
from firmware_bridge.floor.record.message import Key, Row
from firmware_bridge.floor.store import COUNTED, FORMAT, Counts, OtherFormat, Part, Reader, Store
from firmware_bridge.floor.store.compiled import Statements
from firmware_bridge.floor.store.condition import Room
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.schema import schema, trigger
from firmware_bridge.floor.store.tables import GAP, LACKS

BUSY_S: Final = 30.0
"""Longest wait for another writer, a back-fill or a backup."""

READER_BUSY_S: Final = 1.0

PAGE_BYTES: Final = 2048
"""Of a new file. When events become a block, rounds stay alone in their pages: with 4,096 one takes 270 bytes more."""

SQL: Final = Statements("sqlite", "qmark")

COUNTS: Final = f"""
select (select max(rowid) from message), (select max(rowid) from conflict), (select max(rowid) from quarantine),
  (select count(*) from progress where ({LACKS}) and {GAP}),
  (select count(*) from incident where closed_at = ''),
  (select count(*) from (select 1 from conflicts limit {COUNTED})),
  (select count(*) from (select 1 from quarantined limit {COUNTED}))
"""
"""The last rowid counts all rows ever stored, expired ones too; after a restore, those that are left.

Gaps come from the index of journals that lack something.
"""


ROOM: Final = """
select (page_count - freelist_count) * page_size, freelist_count * page_size
from pragma_page_count(), pragma_freelist_count(), pragma_page_size()
"""
"""Bytes in use, and bytes of the file that are free."""


class SqliteStore(Store):
    """A store in the file `path`. make: whether to make a missing file.

    Raises OtherFormat, with nothing written, for a store of another format; StoreError.
    """

    _sql = SQL

    def __init__(self, path: Path, *, make: bool = True) -> None:
        self._path = path
        if not make:
            self._look()
        verify_format(path)
        opened = _inode(path)
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
                self._db.execute(f"pragma page_size = {PAGE_BYTES}")
                self._db.execute("pragma journal_mode = wal").fetchall()
                self._db.execute("pragma synchronous = full")
                self._make()
                if opened not in (None, _inode(path)):  # a migration that held its lock until now
                    raise StoreError(f"another file took the place of {path} just now", "start it again")
            except BaseException:
                self._db.close()
                raise

    def faults(self, *, whole: bool = False) -> list[str]:
        if not whole:
            return []
        try:
            return [each for (each,) in self._db.execute("pragma quick_check(10)") if each != "ok"]
        except sqlite3.DatabaseError as error:
            return [f"{self._path}: {error}"]

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

    def room(self) -> Room:
        with self._in_words():
            return _room(self._path, self._db)

    def grant(self, role: str, part: Part) -> None:
        """Raise StoreError: a file has an owner and a mode."""
        raise StoreError("an SQLite file has no roles", "set its owner and its mode instead")

    def _stream(self, query: str, values: list[object]) -> Iterator[tuple[Any, ...]]:
        with self._in_words():
            yield from self._db.execute(query, values)

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        with self._in_words():
            self._db.execute("begin")
            try:
                yield
            finally:
                self._db.execute("rollback")

    def _alone(self) -> AbstractContextManager[None]:
        return nullcontext()  # a transaction here is the only one that writes

    def _close_alone(self) -> None: ...

    def _alone_with_messages(self) -> None: ...

    def _before_messages(self) -> None: ...

    @contextmanager
    def _deleting(self, *tables: str) -> Iterator[None]:
        for table in tables:
            self._db.execute(f"drop trigger {table}_is_never_deleted")
        yield
        for table in tables:
            self._db.execute(trigger("sqlite", table, "delete"))

    def _holds_newest(self, key: Key) -> bool:
        found = self._db.execute("select tbl, journal from message order by rowid desc limit 1").fetchone()
        return found is not None and Key(*found) == key

    def _insert(self, rows: list[Row]) -> tuple[int, list[Row]]:
        fresh = self._many(SQL.INSERT, rows)
        return fresh, self._differing(rows) if fresh < len(rows) else []

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
                for statement in schema("sqlite"):
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

    _sql = SQL

    def __init__(self, path: Path) -> None:
        self._path = path
        verify_format(path)
        with _in_words(path):
            self._db = sqlite3.connect(f"file:{quote(str(path))}?mode=ro", uri=True, timeout=READER_BUSY_S)

    def counts(self) -> Counts:
        """Return the exact counts of the store. Raises StoreError."""
        with self._reading() as db:
            found = db.execute(COUNTS).fetchone()
        return Counts(*(each or 0 for each in found))

    def room(self) -> Room:
        with self._reading() as db:
            return _room(self._path, db)

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


def _inode(path: Path) -> int | None:
    """Return the number of a file, None if there is none."""
    try:
        return path.stat().st_ino
    except OSError:
        return None


def _room(path: Path, db: sqlite3.Connection) -> Room:
    """Return the room of a file, and of its disk."""
    used, unused = db.execute(ROOM).fetchone()
    try:
        disk = os.statvfs(path)
    except OSError as error:
        raise StoreError(f"{path}: {in_words(error)}", "check that its disk is mounted") from None
    return Room(used, disk.f_bavail * disk.f_frsize + unused)


@contextmanager
def _in_words(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreError(f"{path}: {error}", "allow the user of this program to read it") from None
