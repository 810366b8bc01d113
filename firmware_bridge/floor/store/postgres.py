"""Store and reader in a PostgreSQL database: every commit on its disk before it returns."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.types.numeric import Int8Dumper

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.record.message import Key, Row
from firmware_bridge.floor.store import COUNTED, FORMAT, Counts, OtherFormat, Part, Reader, Store
from firmware_bridge.floor.store.compiled import Statements, by_column
from firmware_bridge.floor.store.condition import Room
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.fact_tables import FACTS
from firmware_bridge.floor.store.schema import VIEWS, schema
from firmware_bridge.floor.store.statements import COLUMNS
from firmware_bridge.floor.store.tables import GAP, LACKS, TABLES

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

SQL: Final = Statements("postgresql+psycopg", "format")

SESSION: Final = """
select set_config('lock_timeout', '30s', false),
  set_config('synchronous_commit', case current_setting('synchronous_commit') when 'remote_apply' then 'remote_apply'
    else 'on' end, false)
"""
"""Every commit is on disk before it returns; waits up to 30 s for another writer."""

VERSION: Final = "select version from store_version"
HAS_VERSION: Final = """
select exists (select from pg_tables where tablename = 'store_version' and schemaname = any (current_schemas(false)))
"""
ENCODING: Final = "select current_setting('server_encoding')"
ONE_AT_A_TIME: Final = "select pg_advisory_xact_lock(73656865)"
"""A lock, so that one program at a time makes the tables."""

FACTS_ALONE: Final = "select pg_advisory_xact_lock(73656866)"
"""A lock until the end of the transaction, so that one program at a time changes sums of days."""

CLOSES_ALONE: Final = "select pg_advisory_xact_lock(73656867)"
"""A lock until the end of the transaction, so that nothing is closed twice."""

MADE: Final = ("create table store_version (version integer not null)", f"insert into store_version values ({FORMAT})")

COPY: Final = f"copy message ({COLUMNS}) from stdin"
OTHERS: Final = """
select came.place from unnest(%s::text[], %s::text[], %s::text[], %s::bigint[], %s::bigint[], %s::bytea[],
  %s::bytea[]) with ordinality as came (topic, tbl, journal, seq, n, body, digest, place)
  join message m using (topic, tbl, journal, seq, n)
where coalesce(m.digest, sha256(m.body)) <> coalesce(came.digest, sha256(came.body))
"""
"""The places, from 1, of messages with other bytes than the stored ones."""

UNSAFE: Final = """
select name || ' = ' || setting from pg_settings
where name in ('fsync', 'full_page_writes') and setting = 'off' order by name
"""
"""Settings of the server with which a power cut loses commits."""

NOT_ARCHIVED: Final = """
select last_failed_wal from pg_stat_archiver where last_failed_time > coalesce(last_archived_time, '-infinity')
"""

DAMAGED: Final = "select checksum_failures from pg_stat_database where datname = current_database()"

INSERTS: Final = "lock table message in row exclusive mode"
NO_INSERTS: Final = "lock table message in share row exclusive mode"
"""Locks of which one waits for the other, until the end of the transaction."""

OWNED: Final = ("block", "block_shoe", "closed", "expired", "feed_taken", "forward")
"""Tables that the ingest does not write."""

_ALL: Final = ", ".join((*TABLES.tables, "store_version", *VIEWS))
GRANTS: Final = {
    "reader": (f"grant select on {_ALL} to {{}}",),
    "ingest": (
        f"grant select on {_ALL} to {{}}",
        f"grant insert on {', '.join(name for name in TABLES.tables if name not in OWNED)} to {{}}",
        "grant update on progress, record_key, log, pending, incident, cosignature, heartbeat, feed_end to {}",
        "grant delete on pending, size, feed, feed_taken to {}",
        f"grant update, delete on {', '.join(each.name for each in FACTS)} to {{}}",
    ),
    "closer": (
        f"grant select on {_ALL} to {{}}",
        "grant insert on closed, progress to {}",
        "grant update on progress to {}",
    ),
    "forward": (f"grant select on {_ALL} to {{}}", "grant insert, update on forward to {}"),
}
"""Part of a role -> its grants. Progress and facts are updated, messages never; what ingests, closes nothing."""

NOTHING: Final = f"revoke all on {_ALL} from {{}}"
SCHEMA: Final = "select current_schema()"
USAGE: Final = "grant usage on schema {} to {}"

READS: Final = "select set_config('statement_timeout', '4s', true), set_config('lock_timeout', '2s', true)"
"""Time limits of a reader's query, and of its wait for a lock."""

_INSERTED: Final = "pg_stat_get_tuples_inserted('{}'::regclass)"
_SOME: Final = f"""
(select case when few < {COUNTED} then few else greatest(few, {_INSERTED}) end
  from (select count(*) as few from (select from {{}} limit {COUNTED}) first) counted)
"""
COUNTS: Final = f"""
select {_INSERTED.format("message")}, {_SOME.replace("{}", "conflict")}, {_SOME.replace("{}", "quarantine")},
  (select count(*) from progress where ({LACKS}) and {GAP}),
  (select count(*) from incident where closed_at = ''),
  (select count(*) from (select 1 from conflicts limit {COUNTED}) c),
  (select count(*) from (select 1 from quarantined limit {COUNTED}) q)
"""
"""Messages by the server's count of inserts, because counting rows reads them all.

Conflicts and quarantine are exact up to `COUNTED`. Gaps come from the index of journals that lack something.
"""


ROOM: Final = "select pg_database_size(current_database())"


class PostgresStore(Store):
    """A store in the database that a URL names; makes missing tables.

    Raises OtherFormat, with nothing written, for tables of another format; StoreError.
    """

    _sql = SQL

    def __init__(self, url: str, password: str | None = None) -> None:
        self._all_new = True
        self._place, self._db = connected(url, password)
        try:
            with self._in_words():
                self._db.adapters.register_dumper(int, Int8Dumper)
                self._db.execute(SESSION)
                self._make()
        except BaseException:
            self._db.close()
            raise

    def faults(self, *, whole: bool = False) -> list[str]:
        """Return faults of the server's settings, its archive, and of its disk as far as it has read it, in words."""
        with self._in_words():
            unsafe = [
                f"the server runs with {each}: a power cut loses messages" for (each,) in self._db.execute(UNSAFE)
            ]
            (damaged,) = self._db.execute(DAMAGED).fetchone() or (0,)
            waits = [
                f"the server cannot archive {each}, and its disk fills: mount the backup's disk, and see its log"
                for (each,) in self._db.execute(NOT_ARCHIVED)
            ]
        return [*unsafe, *([f"the server found {damaged} damaged pages"] if damaged else []), *waits]

    def backup(self, target: Path) -> None:
        """Raise StoreError: PostgreSQL has pg_dump."""
        raise StoreError("the store is in PostgreSQL", f"run pg_dump --format=custom --file={target} (docs/floor.md)")

    def room(self) -> Room:
        with self._in_words():
            (used,) = self._db.execute(ROOM).fetchone() or (0,)
        return Room(int(used), None)

    def grant(self, role: str, part: Part) -> None:
        """Grant a role of the server its part, and nothing else on these tables. Raises StoreError."""
        with self._transaction() as db:
            (name,) = db.execute(SCHEMA).fetchone() or ("public",)
            db.execute(sql.SQL(USAGE).format(sql.Identifier(name), sql.Identifier(role)))
            for statement in (NOTHING, *GRANTS[part]):
                db.execute(sql.SQL(statement).format(sql.Identifier(role)))

    def _stream(self, query: str, values: list[object]) -> Iterator[tuple[Any, ...]]:
        with self._transaction() as db, db.cursor(name="rows") as cursor:
            cursor.itersize = PAGE
            yield from cursor.execute(query, values)

    @contextmanager
    def _snapshot(self) -> Iterator[None]:
        with self._transaction() as db:
            db.execute("set transaction isolation level repeatable read, read only")
            yield

    @contextmanager
    def _alone(self) -> Iterator[None]:
        self._db.execute(FACTS_ALONE)
        yield

    def _close_alone(self) -> None:
        self._db.execute(CLOSES_ALONE)

    def _alone_with_messages(self) -> None:
        self._db.execute(NO_INSERTS)

    def _before_messages(self) -> None:
        self._db.execute(INSERTS)

    @contextmanager
    def _deleting(self, *tables: str) -> Iterator[None]:
        for table in tables:
            self._db.execute(f"alter table {table} disable trigger {table}_is_never_deleted")
        yield
        for table in tables:
            self._db.execute(f"alter table {table} enable trigger {table}_is_never_deleted")

    def _holds_newest(self, key: Key) -> bool:
        return False  # the server counts what was inserted

    def _at_once(self, name: str, rows: Sequence[Sequence[Any]]) -> None:
        if rows:
            self._db.execute(SQL.at_once(name), by_column(rows))

    def _insert(self, rows: list[Row]) -> tuple[int, list[Row]]:
        if not rows or (self._all_new and len(rows) >= COPIED and self._copy(rows)):
            return len(rows), []
        fresh = self._many(SQL.INSERT, rows)
        self._all_new = fresh == len(rows)
        if self._all_new:
            return fresh, []
        keys = by_column([row[:5] for row in rows])
        found = self._db.execute(OTHERS, [*keys, [row.body for row in rows], [row.digest for row in rows]])
        return fresh, [rows[place - 1] for (place,) in found]

    def _copy(self, rows: list[Row]) -> bool:
        """Insert rows by COPY; return whether all were new, else none is written."""
        try:
            with self._db.transaction(), self._db.cursor() as cursor, cursor.copy(COPY) as copy:
                for row in rows:
                    copy.write_row(row)
        except psycopg.errors.UniqueViolation:
            return False
        return True

    def _make(self) -> None:
        """Make the tables if there are none."""
        (encoding,) = self._db.execute(ENCODING).fetchone() or ("",)
        if encoding != "UTF8":
            raise StoreError(f"{self._place} has the encoding {encoding}", "use createdb --encoding UTF8")
        if verify_format(self._db, self._place):
            return
        with self._db.transaction():
            self._db.execute(ONE_AT_A_TIME)
            if not verify_format(self._db, self._place):  # another program may have made them
                for statement in (*MADE, *schema("postgresql")):
                    self._db.execute(statement)

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

    _sql = SQL

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
        """Return the counts of the store; messages are an estimate, as are other large counts. Raises StoreError."""
        with self._reading() as db:
            return Counts(*(db.execute(COUNTS).fetchone() or (0, 0, 0, 0)))

    def room(self) -> Room:
        with self._reading() as db:
            (used,) = db.execute(ROOM).fetchone() or (0,)
        return Room(int(used), None)

    @contextmanager
    def _reading(self) -> Iterator[psycopg.Connection[Any]]:
        with in_words(self._place), self._db.transaction():
            self._db.execute(READS)
            yield self._db


def connected(url: str, password: str | None, **ways: Any) -> tuple[str, psycopg.Connection[Any]]:
    """Connect to a database; return its name in words, and the connection. ways: over `WAYS`. Raises StoreError."""
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
    """Return whether there are tables. place: as in `in_words`. Raises OtherFormat for another one, psycopg.Error."""
    (is_there,) = db.execute(HAS_VERSION).fetchone() or (False,)
    (found,) = (db.execute(VERSION).fetchone() if is_there else None) or (0,)
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
    """Return what to do about an error of the server or the connection."""
    known = sqlstate or next((code for words, code in UNNAMED.items() if words in text), "08")
    return next((todo for code, todo in HINTS.items() if known.startswith(code)), "run shoe-floor check")
