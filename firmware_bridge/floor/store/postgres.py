"""Store and reader in a PostgreSQL database: every commit on its disk before it returns."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier
from psycopg.types.numeric import Int8Dumper

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.record.ledger import Progress
from firmware_bridge.floor.record.message import Key, Row, Unread
from firmware_bridge.floor.record.state import Changes
from firmware_bridge.floor.store import FORMAT, Counts, Old, OtherFormat, Part, Reader, Saved, Store, StoreError, What
from firmware_bridge.floor.store import postgres_sql as sql
from firmware_bridge.floor.store.sqlite_sql import ORDER

PAGE: Final = 2_000
"""Rows of an export for each fetch."""

COPIED: Final = 20
"""Rows from which a COPY is faster, including its savepoint."""

WAYS: Final[dict[str, Any]] = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
    "application_name": "shoe-floor",
}
"""Connection parameters unless the URL sets them; a server that is cut off is given up after 30 s."""

NOT_KEPT: Final = (
    "the database cannot store a text of this batch, and no later message is stored: report this line; "
    "if the message is retained, clear its topic"
)

HINTS: Final = {
    "08": "check that the server runs and can be reached; messages are delivered again",
    "22": NOT_KEPT,
    "25006": "this server is a standby: set the primary in [store] url, or all with ?target_session_attrs=read-write",
    "28": "check the user, [store] password_file, and pg_hba.conf of the server",
    "3D": "create it: createdb --owner USER --encoding UTF8 DATABASE (docs/floor.md)",
    "42704": "create the role first: create role NAME login (docs/floor.md)",
    "40": "two programs blocked each other; it is tried again",
    "42P01": "the tables do not exist yet: start the ingest, or run shoe-floor prepare (docs/floor.md)",
    "42501": "use a role with this right (docs/floor.md); the owner creates the tables: shoe-floor prepare",
    "54": NOT_KEPT,
    "53": "free space on the server's disk, or raise its limits; messages are delivered again",
    "55P03": "another program locks the table: find it in pg_stat_activity, and end it",
    "57014": "it was cancelled, or statement_timeout of the server is too short",
    "57": "the server was stopped or is starting; messages are delivered again",
}
"""Prefix of an SQLSTATE -> what to do."""

UNNAMED: Final = {
    'role "': "28",
    "does not exist": "3D",
    "authentication": "28",
    "no password": "28",
    "pg_hba.conf": "28",
    "starting up": "57",
    "NUL (0x00)": "22",
}
"""Words of an error of libpq or psycopg without an SQLSTATE -> its SQLSTATE."""


class PostgresStore(Store):
    """A store in the database that a URL names; makes missing tables.

    Raises OtherFormat, with nothing written, for tables of another format; StoreError.
    """

    _sql = sql
    _marker = "%s"

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

    def save(
        self,
        rows: Sequence[Row],
        unread: Sequence[Unread],
        progress: Sequence[Progress],
        record: Changes | None = None,
    ) -> Saved:
        # Sorted by key, so that two writers cannot deadlock.
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
            if record:
                self._save_record(db, record)
            self._save_made(db, [row for row in rows if row not in others] if others else rows, record)
        return Saved(fresh, len(rows) - fresh - len(others), len(others))

    def _many(self, db: Any, statement: str, values: Sequence[Any]) -> int:
        with db.cursor() as cursor:
            cursor.executemany(statement, values)
            return int(cursor.rowcount)

    @contextmanager
    def _alone(self, db: Any) -> Iterator[None]:
        db.execute(sql.FACTS_ALONE)
        yield

    def rows(self, what: What, table: str | None, journal: str | None) -> Iterator[tuple[object, ...]]:
        named = self._wanted(what, table, journal)
        where = SQL(" and ").join(SQL("{} = %s").format(Identifier(column)) for column in named)
        query = SQL("select * from {} where {} order by {}").format(
            Identifier(what), where if named else SQL("true"), SQL(ORDER[what])
        )
        with self._transaction() as db, db.cursor(name="rows") as cursor:
            cursor.itersize = PAGE
            yield from cursor.execute(query, list(named.values()))

    def expire(self, key: Key, before: str, now: str, *, quorum: bool = False) -> Old | None:
        with self._transaction() as db:
            db.execute(sql.LET_DELETE)  # locks the table against other writers
            for found in self._old(before, key, quorum=quorum):
                if not found.stays:
                    with self._alone(db):
                        self._forget_facts(db, key)
                    db.execute(sql.EXPIRE, key)
                    db.execute(sql.NEVER_DELETE)
                    db.execute(sql.EXPIRED, (*key, *found[1:-1], now))
                    return found
            db.execute(sql.NEVER_DELETE)
        return None

    def faults(self) -> list[str]:
        """Faults of the server's settings and its disk, in words."""
        with self._in_words():
            unsafe = [
                f"the server runs with {each}: a power cut loses messages" for (each,) in self._db.execute(sql.UNSAFE)
            ]
            (damaged,) = self._db.execute(sql.DAMAGED).fetchone() or (0,)
        return [*unsafe, *([f"the server found {damaged} damaged pages"] if damaged else [])]

    def backup(self, target: Path) -> None:
        """Raise StoreError: PostgreSQL has pg_dump."""
        raise StoreError("the store is in PostgreSQL", f"run pg_dump --format=custom --file={target} (docs/floor.md)")

    def grant(self, role: str, part: Part) -> None:
        """Grant a role of the server its part, and nothing else on these tables. Raises StoreError."""
        with self._transaction() as db:
            (schema,) = db.execute(sql.SCHEMA).fetchone() or ("public",)
            db.execute(SQL(sql.USAGE).format(Identifier(schema), Identifier(role)))
            for statement in (sql.NOTHING, *sql.GRANTS[part]):
                db.execute(SQL(statement).format(Identifier(role)))

    def _insert(self, cursor: psycopg.Cursor[Any], rows: list[Row]) -> tuple[int, list[Row]]:
        """Insert rows; returns how many are new, and those in conflict with a stored row."""
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
        """Insert rows by COPY; returns whether all were new, else none is written."""
        try:
            with self._db.transaction(), cursor.copy(sql.COPY) as copy:
                for row in rows:
                    copy.write_row(row)
        except psycopg.errors.UniqueViolation:
            return False
        return True

    def _make(self) -> None:
        """Make the tables if there are none."""
        (encoding,) = self._db.execute(sql.ENCODING).fetchone() or ("",)
        if encoding != "UTF8":
            raise StoreError(f"{self._place} has the encoding {encoding}", "use createdb --encoding UTF8")
        if verify_format(self._db, self._place):
            return
        with self._db.transaction():
            self._db.execute(sql.ONE_AT_A_TIME)
            if not verify_format(self._db, self._place):  # another program may have made them
                self._db.execute(sql.TABLES)

    @contextmanager
    def _transaction(self) -> Iterator[psycopg.Connection[Any]]:
        with self._in_words(), self._db.transaction():
            yield self._db

    def _in_words(self) -> AbstractContextManager[None]:
        return in_words(self._place)


class PostgresReader(Reader):
    """A reader of the store in the database that a URL names; its tables must exist. Raises OtherFormat, StoreError.

    It has its own connection. Each query is a read-only transaction without a lock that the ingest waits for, limited
    to 4 s.
    """

    _sql = sql
    _marker = "%s"

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
        """Counts of the store; messages are an estimate, and so are large other counts. Raises StoreError."""
        with self._reading() as db:
            return Counts(*(db.execute(sql.COUNTS).fetchone() or (0, 0, 0, 0)))

    @contextmanager
    def _reading(self) -> Iterator[psycopg.Connection[Any]]:
        with in_words(self._place), self._db.transaction():
            self._db.execute(sql.READS)
            yield self._db


def connected(url: str, password: str | None, **ways: Any) -> tuple[str, psycopg.Connection[Any]]:
    """Connect to a database; returns its name in words, and the connection. ways: over `WAYS`. Raises StoreError."""
    try:
        named = conninfo_to_dict(url)
    except psycopg.Error:  # its text shows parts of the URL
        raise StoreError("[store] url cannot be read", "write postgresql://USER@HOST/DATABASE") from None
    chosen = {key: value for key, value in (WAYS | ways).items() if key not in named}
    if password is not None:
        chosen["password"] = password
    with in_words("PostgreSQL"):
        db = psycopg.connect(url, autocommit=True, client_encoding="UTF8", **chosen)
    return f"PostgreSQL, database {db.info.dbname} at {db.info.host or 'this machine'}", db


def verify_format(db: psycopg.Connection[Any], place: str) -> bool:
    """Whether there are tables. place: as in `in_words`. Raises OtherFormat for another format, psycopg.Error."""
    (is_there,) = db.execute(sql.HAS_VERSION).fetchone() or (False,)
    (found,) = (db.execute(sql.VERSION).fetchone() if is_there else None) or (0,)
    if is_there and found != FORMAT:
        raise OtherFormat(place, found)
    return bool(is_there)


@contextmanager
def in_words(place: str) -> Iterator[None]:
    """Raise errors of the server as StoreError, with what to do. place: the database in words."""
    try:
        yield
    except psycopg.Error as error:
        text = error.diag.message_primary or "; ".join(str(error).split("\n")) or type(error).__name__
        raise StoreError(f"{place}: {escaped(text)}", hint(error.sqlstate, text)) from None


def hint(sqlstate: str | None, text: str) -> str:
    """What to do about an error of the server or the connection."""
    known = sqlstate or next((code for words, code in UNNAMED.items() if words in text), "08")
    return next((todo for code, todo in HINTS.items() if known.startswith(code)), "run shoe-floor check")
