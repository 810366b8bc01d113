"""Keeps and reads the records of tables in a store, the same for every engine."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

from firmware_bridge.client.chain import number
from firmware_bridge.floor.record.message import Row, is_same
from firmware_bridge.floor.record.state import Changes, Incident, Leaf, Log, ProvedRound, TableState, TrustedKey
from firmware_bridge.floor.store import record_sql as sql

LEAVES: Final = 1_000
"""Leaves of one fetch."""


class RecordQueries(ABC):
    """The queries about records that a `Store` and a `Reader` answer. Methods raise StoreError.

    _db: a connection. _marker: how its engine writes a place for a value.
    """

    _db: Any
    _marker: str

    @abstractmethod
    def _in_words(self) -> AbstractContextManager[Any]: ...

    def record_keys(self) -> list[TrustedKey]:
        """All keys of all tables, the oldest first."""
        with self._in_words():
            return [TrustedKey(*each) for each in self._all(sql.KEYS)]

    def logs(self) -> list[Log]:
        """All records of all tables."""
        with self._in_words():
            return [_log(each) for each in self._all(sql.ALL_LOGS)]

    def incidents(self) -> list[Incident]:
        """The open incidents, the oldest first."""
        with self._in_words():
            return [Incident(*each) for each in self._all(sql.OPEN)]

    def _text(self, statement: str) -> str:
        return statement if self._marker == "?" else statement.replace("?", self._marker)

    def _all(self, statement: str, *values: object) -> list[Any]:
        found: list[Any] = self._db.execute(self._text(statement), values).fetchall()
        return found


class Records(RecordQueries):
    """The part of a `Store` about records. Methods raise StoreError."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[Any]: ...

    def state_of(self, table: str) -> TableState:
        """What is known of a table's record."""
        with self._in_words():
            keys = [TrustedKey(*each) for each in self._all(sql.KEYS_OF, table)]
            logs = self._table_logs(table)
            firsts = [(str(journal), int(seq)) for journal, seq in self._all(sql.FIRSTS, table)]
            waiting = [((*key, bytes(came)), size, state) for *key, came, size, state in self._all(sql.WAITING, table)]
        return TableState(keys, logs, firsts, waiting)

    def put_key(self, key: TrustedKey, closes: Sequence[tuple[str, str]] = ()) -> None:
        """Keep a key. closes: kind and place of the table's incidents that are answered by it."""
        with self._transaction() as db:
            db.execute(self._text(sql.KEY), key)
            for kind, place in closes:
                db.execute(self._text(sql.CLOSE), (key.at, key.table, kind, place))

    def put_incidents(self, incidents: Sequence[Incident]) -> None:
        """Keep incidents, each once."""
        with self._transaction() as db:
            for each in incidents:
                db.execute(self._text(sql.INCIDENT), each)

    def close_incidents(self, table: str, kind: str, by: str, at: str) -> int:
        """Close the open incidents of a kind; returns how many. by: who looked at them, in words."""
        with self._transaction() as db:
            return int(db.execute(self._text(sql.CLOSE_KIND), (f"{at} {by}", table, kind)).rowcount)

    def expire_evidence(self, before: str) -> None:
        """Delete what was found to be of no entry and came before an RFC 3339 time."""
        with self._transaction() as db:
            db.execute(self._text(sql.EXPIRE_EVIDENCE), (before,))

    def expire_quarantine(self, before: str, *, dry: bool = False) -> int:
        """Delete what came into the quarantine before an RFC 3339 time; returns how many. dry: only count them."""
        with self._transaction() as db:
            if dry:
                return int(db.execute(self._text(sql.OLD_QUARANTINE), (before,)).fetchone()[0])
            return int(db.execute(self._text(sql.EXPIRE_QUARANTINE), (before,)).rowcount)

    def rows_behind(self, table: str, journal: str, first: int, last: int) -> list[Row]:
        """All messages of some entries, those that wait too."""
        named = (table, journal, first, last)
        with self._in_words():
            return [Row(*each) for each in self._all(sql.BEHIND, *named, *named)]

    def waiting_rows(self, table: str) -> list[Row]:
        """All messages of a table that wait."""
        with self._in_words():
            return [Row(*each) for each in self._all(sql.WAITING_ROWS, table)]

    def journals_from(self, table: str, shoe: int) -> list[str]:
        """The journals of a table from a shoe on."""
        with self._in_words():
            return [str(each) for (each,) in self._all(sql.FOLLOWING, table, shoe, table, shoe)]

    def journals_of_number(self, table: str, number: int) -> list[str]:
        """The journals of a table with a number."""
        span = (table, f"{number}-", f"{number}.")
        with self._in_words():
            return [str(each) for (each,) in self._all(sql.OF_NUMBER, *span, *span)]

    def rounds_of(self, table: str, journal: str) -> list[tuple[int, int, int, int, str]]:
        """Shoe, round, revision, entry and status of each round message of a journal."""
        with self._in_words():
            return [tuple(each) for each in self._all(sql.ROUNDS, table, journal, table, journal)]

    def has_event(self, table: str, journal: str, seq: int, n: int) -> bool:
        """Whether an event is kept."""
        named = (table, journal, seq, n)
        with self._in_words():
            return bool(self._all(sql.EVENT, *named, *named))

    def heads_of(self, table: str, journal: str, seq: int) -> list[str]:
        """The verified heads of an entry."""
        with self._in_words():
            return [str(each) for (each,) in self._all(sql.HEADS, table, journal, seq)]

    def is_expired(self, table: str, journal: str) -> bool:
        """Whether a journal was deleted because of its age."""
        with self._in_words():
            return bool(self._all(sql.EXPIRED, table, journal))

    def stored_bytes(self, row: Row) -> tuple[bytes, bytes | None] | None:
        """Body and digest of the stored message with the key of this one."""
        with self._in_words():
            found = self._all(sql.MESSAGE, *row[:5])
        return (bytes(found[0][0]), found[0][1]) if found else None

    def differing(self, rows: Sequence[Row]) -> list[Row]:
        """Those of these messages that have other bytes in the store under the same key."""
        found = ((each, self.stored_bytes(each)) for each in rows)
        return [each for each, stored in found if stored and not is_same(stored, each[-2:])]

    def leaves(self, origin: str, first: int = 0) -> Iterator[Leaf]:
        """The leaves of a record from an index on."""
        while True:
            some = self.some_leaves(origin, first, LEAVES)
            yield from some
            if len(some) < LEAVES:
                return
            first = some[-1].idx + 1

    def some_leaves(self, origin: str, first: int, most: int) -> list[Leaf]:
        """The leaves of a record from an index on, at most so many."""
        with self._in_words():
            return [Leaf(*each) for each in self._all(sql.LEAVES, origin, first, most)]

    def leaves_of(self, table: str, journal: str, seq: int) -> list[Leaf]:
        """The verified entries in a place: one for each record of the table with an entry there."""
        with self._in_words():
            return [Leaf(*each) for each in self._all(sql.LEAF_OF, table, journal, seq)]

    def last_unshown(self, origin: str, journal: str = "") -> int:
        """The index of a record's last entry with bytes that are not as they came; -1 if all are.

        They were deleted, or have other names. journal: look in this one only.
        """
        with self._in_words():
            ((found,),) = self._all(sql.UNSHOWN, origin, journal, journal)
        return -1 if found is None else int(found)

    def leaves_in(self, table: str, journal: str) -> int:
        """How many verified entries a journal has."""
        with self._in_words():
            return int(self._all(sql.LEAVES_IN, table, journal)[0][0])

    def unproved(self, table: str, journal: str, *, quorum: bool) -> int:
        """How many entries of a table's journal no checkpoint covers; 0 for a table without an enrolled key.

        Entries before the table's first record count for covered, as no checkpoint ever can. quorum: it must be one
        that a quorum of witnesses cosigned.
        """
        with self._in_words():
            if not self._all(sql.IS_ENROLLED, table):
                return 0
            logs = sorted((log for log in self._table_logs(table) if log.size), key=lambda log: log.birth)
            first = 1
            if logs and journal == logs[0].begun_journal:
                first = logs[0].begun_seq
            elif logs and number(journal) < number(logs[0].begun_journal):
                return 0
            named = (table, journal)
            return int(self._all(sql.UNPROVED, *named, first, *named, first, *named, int(quorum))[0][0])

    def stored_rows(self, table: str, journal: str, first: int, last: int) -> list[Row]:
        """All messages of some entries that are stored, without those that wait."""
        with self._in_words():
            found = [Row(*each) for each in self._all(sql.STORED, table, journal, first, last)]
        return [row._replace(body=_as_bytes(row.body)) for row in found]

    def _table_logs(self, table: str) -> list[Log]:
        return [_log(each) for each in self._all(sql.LOGS, table)]

    def proved_bodies(self, table: str, journal: str, first: int, last: int) -> dict[tuple[int, int], bytes]:
        """Entry and number -> the bytes of each verified round, where other bytes are stored in its place."""
        with self._in_words():
            found = self._all(sql.PROVED_BODIES, table, journal, first, last)
        return {(int(seq), int(n)): bytes(body) for seq, n, body in found}

    def _save_record(self, db: Any, changes: Changes) -> None:
        """Write the changes of a batch within its transaction."""
        for statement, values in (
            (sql.SEEN, changes.keys),
            (sql.LOG, sorted(changes.logs.values())),
            (sql.LEAF, changes.leaves),
            (sql.PENDING, [(*each.row, each.came, each.state) for each in changes.pending.values()]),
            (sql.SETTLED, tuple(changes.settled)),
            (sql.EVIDENCE, tuple(changes.evidence)),
            (sql.INCIDENT, sorted(changes.incidents.values())),
        ):
            if values:
                self._many(db, self._text(statement), values)
        if changes.proved:
            self._save_proved(db, changes.proved)

    def _save_proved(self, db: Any, proved: Sequence[ProvedRound]) -> None:
        """Name the rounds that a checkpoint verified; keep those with another message in their place."""
        same = [(*each[1:], *each.row[1:5], *each.row[-2:]) for each in proved]
        if self._many(db, self._text(sql.PROVED), same) < len(same):
            others = [(*each.row[1:5], *each[1:], *each.row[6:]) for each in proved]
            self._many(db, self._text(sql.PROVED_OTHERWISE), others)

    @abstractmethod
    def _many(self, db: Any, statement: str, values: Sequence[Any]) -> int:
        """Execute a statement for each of the values; returns how many rows it wrote."""


def _log(found: Sequence[Any]) -> Log:
    log = Log(*found)
    return log._replace(edge=bytes(log.edge))


def _as_bytes(body: Any) -> bytes:
    """A body as bytes; SQLite gives back a text where another program wrote one."""
    return body.encode() if isinstance(body, str) else bytes(body)
