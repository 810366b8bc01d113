"""Migration of a file of SQLite: a copy is migrated and takes the place of the file, which becomes the backup."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic, sleep
from typing import Any, Final

from firmware_bridge.errors import in_words
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.migrations.engine import Backup, Engine, kept_formats, of_format
from firmware_bridge.floor.store.migrations.step import Database, Steps

LOOKS: Final = 20
LOOK_S: Final = 0.25
"""How often, and after how many seconds, a lock is tried again: a page reads for a moment."""

SAMPLE: Final = 16 << 20
"""Bytes of a file that are copied for an estimate."""

_TRIGGERS: Final = "select name, sql from sqlite_master where type = 'trigger' and tbl_name = ?"


class SqliteFile(Engine):
    """The store in the file `path`."""

    def __init__(self, path: Path) -> None:
        self.place, self._path = str(path), path

    def format(self) -> int | None:
        with self._in_words():
            if not self._path.exists():
                return None
            with closing(_read(self._path, "immutable=1")) as db:
                found = _format(db)
            if found:
                return found
            with closing(_read(self._path)) as db:  # the header of a new file is in its log yet
                return _format(db)

    @contextmanager
    def reading(self) -> Iterator[Database]:
        log = self._path.with_name(f"{self._path.name}-wal")
        with self._in_words():
            options = () if log.exists() else ("immutable=1",)  # a store that nobody has open gets no files beside it
            with closing(_read(self._path, *options)) as db:
                yield _Tables(db)

    def room(self) -> str:
        needed, free = self._needed()
        kept, seconds = of_format(self._path, self.format() or 0), self._copied_s() * needed / SAMPLE
        return f"{needed >> 20} MiB of {free >> 20} free, about {seconds:.0f} s; what there is now stays as {kept}"

    def migrate(self, found: int, to: int, steps: Steps, names: Names | None) -> Iterator[str]:
        copy = self._path.with_name(f".{self._path.name}.migrated")
        self._verify_user()
        needed, free = self._needed()
        if needed > free:
            what = f"the disk of {self._path} has {free} bytes free, and {needed} are needed"
            raise StoreError(what, "free some: nothing was changed")
        with self._in_words(), self._alone() as db:
            try:
                for step in steps:
                    step.verify(_Tables(db), names)
                self._copy(db, copy)
                with closing(sqlite3.connect(copy, isolation_level=None)) as fresh:
                    yield from _migrated(fresh, to, steps, names)
                self._swap(copy, of_format(self._path, found))
            finally:
                for each in (copy, copy.with_name(f"{copy.name}-journal")):
                    each.unlink(missing_ok=True)
        yield f"{self._path} has format {to}; as it was: {of_format(self._path, found)}"

    def backups(self) -> list[Backup]:
        return kept_formats(self._path)

    def back(self, backup: Backup) -> Iterator[str]:
        self._verify_user()
        with self._in_words():
            with closing(_read(backup.path, "immutable=1")) as db:
                if _format(db) != backup.format or db.execute("pragma quick_check(1)").fetchone() != ("ok",):
                    raise StoreError(f"{backup.path} is damaged", "restore a backup of your own (docs/floor.md)")
                [(newest,)] = db.execute("select coalesce(max(received_at), '') from message").fetchall()
            with self._alone() as db:
                [(since,)] = db.execute("select count(*) from message where received_at > ?", (newest,)).fetchall()
                kept = of_format(self._path, _format(db))
                self._swap(backup.path, kept)
        yield f"{self._path} has format {backup.format} again; as it was: {kept}"
        if since:
            yield f"{since} messages that came since are in {kept} alone; the ingest asks the tables for them again"

    def _needed(self) -> tuple[int, int]:
        """Return the bytes that a migration needs at most, and those that are free."""
        with self._in_words():
            size, disk = self._path.stat().st_size, os.statvfs(self._path.parent)
        log = self._path.with_name(f"{self._path.name}-wal")
        return size + (log.stat().st_size if log.exists() else 0), disk.f_bavail * disk.f_frsize

    def _copied_s(self) -> float:
        """Return the seconds that a sample takes to be copied to this disk, 0 where none can be written."""
        try:
            with self._path.open("rb") as store, TemporaryFile(dir=self._path.parent) as copy:
                began, sample = monotonic(), store.read(SAMPLE)
                copy.write(sample)
                copy.flush()
                os.fsync(copy.fileno())
                return (monotonic() - began) * SAMPLE / max(len(sample), 1)
        except OSError:
            return 0.0

    def _verify_user(self) -> None:
        """Raise StoreError for a user who may not write the file, or to whom a new one would belong."""
        with self._in_words():
            owner = self._path.stat().st_uid
        if os.geteuid() not in (0, owner) or not os.access(self._path.parent, os.W_OK):
            what = f"{self._path} belongs to user {owner}, and this is user {os.geteuid()}"
            raise StoreError(what, "put sudo before the command: nothing was changed")

    @contextmanager
    def _alone(self) -> Iterator[sqlite3.Connection]:
        """Yield the file, whole without its log, that no other program has open, and that none can open."""
        with closing(
            sqlite3.connect(f"{self._path.absolute().as_uri()}?mode=rw", isolation_level=None, uri=True)
        ) as db:
            db.execute("pragma busy_timeout = 0")
            db.execute("pragma locking_mode = exclusive")
            for look in range(LOOKS):
                try:
                    db.execute("pragma journal_mode = delete").fetchall()
                    db.execute("begin exclusive")
                    db.execute("commit")
                    break
                except sqlite3.OperationalError as error:
                    if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                        raise
                    if look == LOOKS - 1:
                        what = f"another program has {self._path} open, as an ingest has"
                        hint = "stop it first: sudo systemctl stop 'shoe-floor-*'; nothing was changed"
                        raise StoreError(what, hint) from None
                    sleep(LOOK_S)
            yield db

    def _copy(self, db: sqlite3.Connection, copy: Path) -> None:
        """Write a copy without what was deleted, with the owner and the mode of the file."""
        copy.unlink(missing_ok=True)
        os.close(os.open(copy, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        is_like = self._path.stat()
        if os.geteuid() == 0:
            os.chown(copy, is_like.st_uid, is_like.st_gid)
        copy.chmod(is_like.st_mode & 0o777)
        db.execute("vacuum into ?", (str(copy),))

    def _swap(self, fresh: Path, kept: Path) -> None:
        """Keep the file under another name and put a fresh one in its place, which is there at each moment."""
        with fresh.open("rb+") as file:
            os.fsync(file.fileno())
        link = kept.with_name(f".{kept.name}")
        link.unlink(missing_ok=True)
        os.link(self._path, link)
        link.replace(kept)
        link.unlink(missing_ok=True)  # a rename to another name of the same file leaves both
        fresh.replace(self._path)
        directory = os.open(self._path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self._path}: {error}", "check its disk and its owner: nothing was changed") from None
        except StoreError:
            raise
        except OSError as error:
            what = f"{error.filename or self._path}: {in_words(error)}"
            raise StoreError(what, "check its disk and its owner: nothing was changed") from None


class _Tables:
    """A `Database` in a file."""

    text = "TEXT"

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def all(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        return self._db.execute(query, values).fetchall()

    def write(self, statement: str, *values: object) -> int:
        return self._db.execute(statement, values).rowcount

    def contains(self, column: str) -> str:
        return f"instr(cast({column} as blob), ?) > 0"

    @contextmanager
    def changing(self, *tables: str) -> Iterator[None]:
        """Drop the triggers for the block, and make them again as they were."""
        found = [each for table in tables for each in self._db.execute(_TRIGGERS, (table,)).fetchall()]
        for name, _ in found:
            self._db.execute(f"drop trigger {name}")
        yield
        for _, statement in found:
            self._db.execute(statement)


def _migrated(db: sqlite3.Connection, to: int, steps: Steps, names: Names | None) -> Iterator[str]:
    """Take a copy through the steps, in one transaction; what is replaced is overwritten."""
    db.execute("pragma secure_delete = on").fetchall()
    db.execute("begin immediate")
    for step in steps:
        yield from step.run(_Tables(db), names)
    db.execute(f"pragma user_version = {to}")
    db.execute("commit")
    if (found := db.execute("pragma quick_check(1)").fetchone()) != ("ok",):
        raise StoreError(f"the copy is damaged: {found}", "check the disk, and restore the last backup (docs/floor.md)")


def _read(path: Path, *options: str) -> sqlite3.Connection:
    return sqlite3.connect("?".join((path.absolute().as_uri(), "&".join(("mode=ro", *options)))), uri=True)


def _format(db: sqlite3.Connection) -> int:
    [(found,)] = db.execute("pragma user_version").fetchall()
    return int(found)
