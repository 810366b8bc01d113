"""Migration of a PostgreSQL database: a dump is kept, and all steps are one transaction."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg

from firmware_bridge.errors import in_words as os_words
from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.migrations.engine import Backup, Engine, kept_formats, of_format
from firmware_bridge.floor.store.migrations.step import Database, Steps
from firmware_bridge.floor.store.postgres import HAS_VERSION, NO_INSERTS, VERSION, connected, in_words

NAME: Final = "shoe-floor-migrate"
"""How the server names this program."""

WRITERS: Final = """
select string_agg(distinct a.usename, ', ') from pg_stat_activity a join pg_roles r on r.oid = a.usesysid
where a.datname = current_database() and a.pid <> pg_backend_pid() and a.backend_type = 'client backend'
  and a.application_name not in ('pg_dump', 'shoe-floor-reader', %s) and (a.application_name = 'shoe-floor'
    or (not r.rolsuper and has_table_privilege(a.usesysid, 'message', 'insert')))
"""
"""The users of sessions that may write messages."""

NO_READERS: Final = "lock table store_version in access exclusive mode"
"""A program that opens the store waits until the end of the transaction, and sees the new format then."""

IS_OWNER: Final = "select pg_has_role(tableowner, 'member'), tableowner from pg_tables where tablename = 'message'"


class PostgresDatabase(Engine):
    """The store in the database that a URL names. backups: the directory of dumps."""

    def __init__(self, url: str, password: str | None, backups: Path) -> None:
        self._url, self._password = url, password
        with closing(self._connected()) as db:
            self._backup = backups / f"{db.info.dbname}.dump"

    def format(self) -> int | None:
        with closing(self._connected()) as db, in_words(self.place):
            return _format(db)

    @contextmanager
    def reading(self) -> Iterator[Database]:
        with closing(self._connected()) as db, in_words(self.place), db.transaction():
            db.execute("set transaction isolation level repeatable read, read only")
            yield _Tables(db)

    def room(self) -> str:
        with closing(self._connected()) as db, in_words(self.place):
            [(size,)] = db.execute("select pg_database_size(current_database())").fetchall()
            kept = of_format(self._backup, _format(db) or 0)
        with _os_words():
            disk = os.statvfs(self._backup.parent)
        free = disk.f_bavail * disk.f_frsize
        return (
            f"at most {size >> 20} MiB of {free >> 20} free, compressed by pg_dump as each night; the backup is {kept}"
        )

    def migrate(self, found: int, to: int, steps: Steps, names: Names | None) -> Iterator[str]:
        kept = of_format(self._backup, found)
        with self._alone() as db:
            for step in steps:
                step.verify(_Tables(db), names)
            self._dump(kept)
            yield f"{kept} is written"
            db.execute(NO_READERS)
            self._verify_alone(db)  # an ingest may have begun during the dump
            for step in steps:
                yield from step.run(_Tables(db), names)
            db.execute("update store_version set version = %s", (to,))
        yield f"{self.place} has format {to}; as it was: {kept}"

    def backups(self) -> list[Backup]:
        return kept_formats(self._backup)

    def back(self, backup: Backup) -> Iterator[str]:
        with self._alone() as db:
            kept = of_format(self._backup, _format(db) or 0)
            self._dump(kept)
        self._run("pg_restore", "--clean", "--if-exists", "--single-transaction", "--exit-on-error", str(backup.path))
        yield f"{self.place} has format {backup.format} again; as it was: {kept}"
        yield f"messages that came since are in {kept} alone; the ingest asks the tables for them again"

    def _connected(self) -> psycopg.Connection[Any]:
        self.place, db = connected(self._url, self._password, application_name=NAME)
        return db

    @contextmanager
    def _alone(self) -> Iterator[psycopg.Connection[Any]]:
        """Yield a transaction of the owner of the tables, in which no other inserts messages."""
        with closing(self._connected()) as db, in_words(self.place):
            [(is_owner, owner)] = db.execute(IS_OWNER).fetchall()
            if not is_owner:
                what = f"{self.place}: the tables belong to the role {owner}, and this is {db.info.user}"
                raise StoreError(what, f"use a floor.toml whose [store] url names {owner}: nothing was changed")
            db.execute("set lock_timeout = '5s'")
            with db.transaction():
                self._verify_alone(db)
                db.execute(NO_INSERTS)
                yield db

    def _verify_alone(self, db: psycopg.Connection[Any]) -> None:
        [(users,)] = db.execute(WRITERS, (NAME,)).fetchall()
        if users:
            hint = "stop it first: sudo systemctl stop 'shoe-floor-*'; nothing was changed"
            raise StoreError(f"another program has {self.place} open, as an ingest has, as {users}", hint)

    def _dump(self, kept: Path) -> None:
        """Write a backup, which appears whole or not at all."""
        fresh = kept.with_name(f".{kept.name}.{os.getpid()}")
        with _os_words():
            for old in kept.parent.glob(f".{kept.name}.*"):
                old.unlink()
            os.close(os.open(fresh, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            try:
                self._run("pg_dump", "--format=custom", f"--file={fresh}")
                with fresh.open("rb+") as file:
                    os.fsync(file.fileno())
                fresh.replace(kept)
            finally:
                fresh.unlink(missing_ok=True)

    def _run(self, name: str, *words: str) -> None:
        """Run a program of the server, which is given no password that others could see. Raises StoreError."""
        secret = {} if self._password is None else {"PGPASSWORD": self._password}
        command = [_program(name), f"--dbname={self._url}", *words]
        done = subprocess.run(command, env={**os.environ, **secret}, capture_output=True, text=True)
        if done.returncode:
            what = "; ".join(done.stderr.strip().splitlines()[-3:])
            raise StoreError(f"{name}: {what}", "nothing was changed: check the disk, the server and its version")


class _Tables:
    """A `Database` in a transaction."""

    text = 'TEXT COLLATE "C"'

    def __init__(self, db: psycopg.Connection[Any]) -> None:
        self._db = db

    def all(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = self._db.execute(query.replace("?", "%s"), values).fetchall()
        return rows

    def write(self, statement: str, *values: object) -> int:
        count: int = self._db.execute(statement.replace("?", "%s"), values).rowcount
        return count

    def contains(self, column: str) -> str:
        return f"position(?::bytea in {column}) > 0"

    @contextmanager
    def changing(self, *tables: str) -> Iterator[None]:
        for table in tables:
            self._db.execute(f"alter table {table} disable trigger user")
        yield
        for table in tables:
            self._db.execute(f"alter table {table} enable trigger user")


def _format(db: psycopg.Connection[Any]) -> int | None:
    [(is_there,)] = db.execute(HAS_VERSION).fetchall()
    found = db.execute(VERSION).fetchone() if is_there else None
    return int(found[0]) if found else None


def _program(name: str) -> str:
    """Return a program of PostgreSQL: of the path, else the newest one of Debian. Raises StoreError."""
    by_version = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[-3]))
    if found := shutil.which(name) or next((str(each) for each in reversed(by_version)), None):
        return found
    raise StoreError(f"{name} is missing here", "sudo apt install postgresql-client: nothing was changed")


@contextmanager
def _os_words() -> Iterator[None]:
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        raise StoreError(
            f"{error.filename}: {os_words(error)}", "check the disk and the user: nothing was changed"
        ) from None
