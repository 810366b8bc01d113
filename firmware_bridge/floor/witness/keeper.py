"""What a witness has cosigned, in one file of SQLite: a row a log, and all evidence of logs with two histories."""

import json
import sqlite3
from base64 import b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.errors import BridgeError
from firmware_bridge.record.verify import EMPTY_ROOT

FORMAT: Final = 1

BUSY_S: Final = 10.0
"""Longest wait for another process that has the file open."""

_TABLES: Final = """
create table if not exists log (
    origin text primary key, size integer not null, root blob not null, note text not null, at integer not null
) strict, without rowid;
create table if not exists evidence (
    origin text not null, size integer not null, root blob not null, kind text not null,
    old integer not null, request blob not null, note text not null, held text not null,
    first_at integer not null, last_at integer not null, times integer not null,
    primary key (origin, size, root, kind)
) strict, without rowid;
create trigger if not exists evidence_stays before delete on evidence
    begin select raise(abort, 'evidence is never deleted'); end;
create trigger if not exists a_log_only_grows before update on log when new.size < old.size
    or (new.size = old.size and new.root <> old.root)
    begin select raise(abort, 'a log only grows'); end;
create trigger if not exists a_log_stays before delete on log
    begin select raise(abort, 'a log is never forgotten'); end;
"""

_EVIDENCE: Final = """
insert into evidence values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1)
on conflict do update set last_at = excluded.last_at, times = times + 1
"""


class KeeperError(BridgeError, OSError):
    """The file of a witness cannot be read or written."""


class Held(NamedTuple):
    """What was cosigned last of a log; size 0 and an empty note if nothing was. note: with our cosignature."""

    size: int = 0
    root: bytes = EMPTY_ROOT
    note: str = ""


class Evidence(NamedTuple):
    """A request that was answered by 422. kind: `fork` proves two histories by itself, `proof` does not.

    size, root: of the refused note. held: the note that was cosigned before. times: how often it came.
    """

    origin: str
    size: int
    root: bytes
    kind: str
    old: int
    request: bytes
    note: str
    held: str
    first_at: int
    last_at: int
    times: int = 1

    def in_words(self) -> str:
        """Return one line about it."""
        what = "TWO HISTORIES" if self.kind == "fork" else "a proof that does not fit"
        when = datetime.fromtimestamp(self.first_at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
        return f"{when}  {self.origin}, size {self.size}: {what}; {self.times} times"

    def as_json(self) -> str:
        """Return a JSON object with everything in it, bytes in base64."""
        coded = {"root": b64encode(self.root).decode(), "request": b64encode(self.request).decode()}
        return json.dumps(self._asdict() | coded, ensure_ascii=False)


class Keeper:
    """The file of a witness. Not for two threads at once. make: whether to make a missing file. Raises KeeperError."""

    def __init__(self, path: Path, *, make: bool = True) -> None:
        self._path = path
        address = f"{path.absolute().as_uri()}?mode={'rwc' if make else 'rw'}"
        with self._in_words():
            self._db = sqlite3.connect(address, timeout=BUSY_S, isolation_level=None, check_same_thread=False, uri=True)
            try:
                self._open()
            except BaseException:
                self._db.close()
                raise

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Write all of the block to disk at its end, or nothing of it; no other process writes in between."""
        with self._in_words():
            self._db.execute("begin immediate")
            try:
                yield
                self._db.execute("commit")
            except BaseException:
                if self._db.in_transaction:
                    self._db.execute("rollback")
                raise

    def held(self, origin: str) -> Held:
        """Return what was cosigned last of a log."""
        with self._in_words():
            row = self._db.execute("select size, root, note from log where origin = ?", (origin,)).fetchone()
        return Held(*row) if row else Held()

    def cosign(self, origin: str, held: Held, at: int) -> None:
        """Keep what is cosigned now. at: seconds since 1970."""
        self._db.execute(
            "insert into log values (?, ?, ?, ?, ?) on conflict do update set "
            "size = excluded.size, root = excluded.root, note = excluded.note, at = excluded.at",
            (origin, *held, at),
        )

    def add_evidence(self, evidence: Evidence) -> bool:
        """Keep what was refused; return whether it is the first of its kind about this note."""
        where = (evidence.origin, evidence.size, evidence.root, evidence.kind)
        asked = "select 1 from evidence where origin = ? and size = ? and root = ? and kind = ?"
        is_new = self._db.execute(asked, where).fetchone() is None
        self._db.execute(_EVIDENCE, evidence[:-1])
        return is_new

    def evidence(self) -> list[Evidence]:
        """Return all that was ever refused by 422, the first one first."""
        with self._in_words():
            rows = self._db.execute("select * from evidence order by first_at, origin, size").fetchall()
        return [Evidence(*row) for row in rows]

    def logs(self) -> list[tuple[str, int, int]]:
        """Return origin, size and time of the last cosignature of each log."""
        with self._in_words():
            return self._db.execute("select origin, size, at from log order by origin").fetchall()

    def _open(self) -> None:
        (version,) = self._db.execute("pragma user_version").fetchone()
        if version not in (0, FORMAT):
            what = f"{self._path} has format {version}, this shoe-floor writes {FORMAT}"
            raise KeeperError(what, "install the version that wrote it")
        self._db.execute("pragma journal_mode = wal").fetchall()
        self._db.execute("pragma synchronous = full")
        self._db.executescript(f"begin immediate; {_TABLES} pragma user_version = {FORMAT}; commit;")

    @contextmanager
    def _in_words(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            what = f"the file of the witness, {self._path}: {error}"
            raise KeeperError(what, "check its disk, its owner and that no other program changed it") from None
