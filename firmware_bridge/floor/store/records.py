"""Keeps and reads the records of tables in a store, the same for every engine."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from firmware_bridge.client.chain import number
from firmware_bridge.floor.record.message import EVENT, Key, Row, is_same
from firmware_bridge.floor.record.state import Changes, Incident, Leaf, Log, ProvedRound, TableState, TrustedKey
from firmware_bridge.floor.store.blocks import Decoded, merged

if TYPE_CHECKING:
    from firmware_bridge.floor.store.compiled import Statement, Statements

LEAVES: Final = 1_000
"""Leaves of one fetch."""

MOST_LISTED: Final = 500
"""Most rows in the list of one statement."""


class RecordQueries(ABC):
    """The queries about records that a `Store` and a `Reader` answer. Methods raise StoreError.

    _db: a connection of the driver. _sql: the statements as that driver takes them.
    """

    _db: Any
    _sql: "Statements"

    @abstractmethod
    def _in_words(self) -> AbstractContextManager[Any]: ...

    def record_keys(self) -> list[TrustedKey]:
        """Return all keys of all tables, the oldest first."""
        with self._in_words():
            return [TrustedKey(*each) for each in self._all(self._sql.KEYS)]

    def logs(self) -> list[Log]:
        """Return all records of all tables."""
        with self._in_words():
            return [_log(each) for each in self._all(self._sql.ALL_LOGS)]

    def incidents(self) -> list[Incident]:
        """Return the open incidents, the oldest first."""
        with self._in_words():
            return [Incident(*each) for each in self._all(self._sql.OPEN)]

    def _all(self, statement: "Statement", **named: object) -> list[Any]:
        """Return all rows of a query."""
        found: list[Any] = self._db.execute(statement.text, statement.values(named)).fetchall()
        return found

    @cached_property
    def _decoded(self) -> Decoded:
        return Decoded()

    def _packed(self, key: Key) -> dict[tuple[int, int], Row]:
        """Return entry and number -> the row of each event in the block of a journal; {} without one."""
        found = self._all(self._sql.BLOCK, tbl=key.table, journal=key.journal)
        return self._decoded.of(key, *map(bytes, found[0])) if found else {}


class Records(RecordQueries):
    """The part of a `Store` about records. Methods raise StoreError."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[Any]: ...

    def state_of(self, table: str) -> TableState:
        """Return what is known of a table's record."""
        with self._in_words():
            keys = [TrustedKey(*each) for each in self._all(self._sql.KEYS_OF, tbl=table)]
            logs = self._table_logs(table)
            firsts = [(str(journal), int(seq)) for journal, seq in self._all(self._sql.FIRSTS, tbl=table)]
            found = self._all(self._sql.WAITING, tbl=table)
            waiting = [((*key, bytes(came)), size, state) for *key, came, size, state in found]
        return TableState(keys, logs, firsts, waiting)

    def put_key(self, key: TrustedKey, closes: Sequence[tuple[str, str]] = ()) -> None:
        """Keep a key. closes: kind and place of the table's incidents that are answered by it."""
        with self._transaction():
            self._write_key(key, closes)

    def _write_key(self, key: TrustedKey, closes: Sequence[tuple[str, str]]) -> None:
        """Keep a key within its transaction."""
        self._many(self._sql.KEY, [key])
        self._many(self._sql.CLOSE, [(key.at, key.table, *each) for each in closes])

    def put_incidents(self, incidents: Sequence[Incident]) -> None:
        """Keep incidents, each once."""
        with self._transaction():
            self._many(self._sql.INCIDENT, [(*each, "") for each in incidents])

    def close_incidents(self, table: str, kind: str, by: str, at: str) -> int:
        """Close the open incidents of a kind; return how many. by: who looked at them, in words."""
        with self._transaction():
            return self._many(self._sql.CLOSE_KIND, [(f"{at} {by}", table, kind)])

    def expire_evidence(self, before: str) -> None:
        """Delete what was found to be of no entry and came before an RFC 3339 time."""
        with self._transaction():
            self._many(self._sql.EXPIRE_EVIDENCE, [(before,)])

    def expire_quarantine(self, before: str, *, dry: bool = False) -> int:
        """Delete what came into the quarantine before an RFC 3339 time; return how many. dry: only count them."""
        with self._transaction():
            if dry:
                return int(self._all(self._sql.OLD_QUARANTINE, before=before)[0][0])
            return self._many(self._sql.EXPIRE_QUARANTINE, [(before,)])

    def rows_behind(self, table: str, journal: str, first: int, last: int) -> list[Row]:
        """Return all messages of some entries, those that wait too."""
        with self._in_words():
            found = self._all(self._sql.STORED_OR_WAITING, tbl=table, journal=journal, first=first, last=last)
            return self._with_packed(Key(table, journal), first, last, [Row(*each) for each in found])

    def waiting_rows(self, table: str) -> list[Row]:
        """Return all messages of a table that wait."""
        with self._in_words():
            return [Row(*each) for each in self._all(self._sql.WAITING_ROWS, tbl=table)]

    def journals_from(self, table: str, shoe: int) -> list[str]:
        """Return the journals of a table from a shoe on."""
        with self._in_words():
            return [str(each) for (each,) in self._all(self._sql.FOLLOWING, tbl=table, shoe=shoe)]

    def journals_of_number(self, table: str, number: int) -> list[str]:
        """Return the journals of a table with a number."""
        with self._in_words():
            found = self._all(self._sql.OF_NUMBER, tbl=table, first=f"{number}-", end=f"{number}.")
            return [str(each) for (each,) in found]

    def rounds_of(self, table: str, journal: str) -> list[tuple[int, int, int, int, str]]:
        """Return shoe, round, revision, entry and status of each round message of a journal."""
        with self._in_words():
            return [tuple(each) for each in self._all(self._sql.ROUNDS, tbl=table, journal=journal)]

    def has_event(self, table: str, journal: str, seq: int, n: int) -> bool:
        """Return whether an event is kept."""
        with self._in_words():
            found = self._all(self._sql.EVENT, tbl=table, journal=journal, seq=seq, n=n)
            return bool(found) or (seq, n) in self._packed(Key(table, journal))

    def heads_of(self, table: str, journal: str, seq: int) -> list[str]:
        """Return the verified heads of an entry."""
        with self._in_words():
            return [str(each) for (each,) in self._all(self._sql.HEADS, tbl=table, journal=journal, seq=seq)]

    def is_expired(self, table: str, journal: str) -> bool:
        """Return whether a journal was deleted because of its age."""
        with self._in_words():
            return bool(self._all(self._sql.IS_EXPIRED, tbl=table, journal=journal))

    def stored_bytes(self, row: Row) -> tuple[bytes, bytes | None] | None:
        """Return body and digest of the stored message with the key of this one."""
        with self._in_words():
            found = self._stored(row)
        return (bytes(found[0]), found[1]) if found else None

    def differing(self, rows: Sequence[Row]) -> list[Row]:
        """Return those of these messages that have other bytes in the store under the same key."""
        with self._in_words():
            return self._differing(rows)

    def leaves(self, origin: str, first: int = 0) -> Iterator[Leaf]:
        """Yield the leaves of a record from an index on."""
        while True:
            some = self.some_leaves(origin, first, LEAVES)
            yield from some
            if len(some) < LEAVES:
                return
            first = some[-1].idx + 1

    def some_leaves(self, origin: str, first: int, most: int) -> list[Leaf]:
        """Return the leaves of a record from an index on, at most so many."""
        with self._in_words():
            found = self._all(self._sql.LEAVES, origin=origin, first=first, most=most)
            return [Leaf(*each)._replace(head=bytes(each[-1]).hex()) for each in found]

    def leaves_of(self, table: str, journal: str, seq: int) -> list[Leaf]:
        """Return the verified entries in a place: one for each record of the table with an entry there."""
        with self._in_words():
            return [Leaf(*each) for each in self._all(self._sql.LEAF_OF, tbl=table, journal=journal, seq=seq)]

    def last_unshown(self, origin: str, journal: str = "") -> int:
        """Return the index of a record's last entry with bytes that are not as they came; -1 if all are.

        They were deleted, or have other names. journal: look in this one only.
        """
        with self._in_words():
            ((found,),) = self._all(self._sql.UNSHOWN, origin=origin, journal=journal)
        return -1 if found is None else int(found)

    def leaves_in(self, table: str, journal: str) -> int:
        """Return how many verified entries a journal has."""
        with self._in_words():
            return int(self._all(self._sql.LEAVES_IN, tbl=table, journal=journal)[0][0])

    def unproved(self, table: str, journal: str, *, quorum: bool) -> int:
        """Return how many entries of a table's journal no checkpoint covers; 0 for a table without an enrolled key.

        Entries before the table's first record count for covered, as no checkpoint ever can. quorum: it must be one
        that a quorum of witnesses cosigned.
        """
        with self._in_words():
            if not self._all(self._sql.IS_ENROLLED, tbl=table):
                return 0
            logs = sorted((log for log in self._table_logs(table) if log.size), key=lambda log: log.birth)
            first = 1
            if logs and journal == logs[0].begun_journal:
                first = logs[0].begun_seq
            elif logs and number(journal) < number(logs[0].begun_journal):
                return 0
            named = {"tbl": table, "journal": journal, "quorum": int(quorum)}
            unproved = {seq for (seq,) in self._all(self._sql.UNPROVED, **named, first=first)}
            if packed := {seq for seq, _ in self._packed(Key(table, journal)) if seq >= first}:
                unproved |= packed - {seq for (seq,) in self._all(self._sql.COVERED, **named)}
            return len(unproved)

    def stored_rows(self, table: str, journal: str, first: int, last: int) -> list[Row]:
        """Return all messages of some entries that are stored, without those that wait."""
        with self._in_words():
            found = self._all(self._sql.STORED, tbl=table, journal=journal, first=first, last=last)
            return self._with_packed(Key(table, journal), first, last, [self._row(each) for each in found])

    def _stored(self, row: Row) -> Any:
        """Return body and digest under the key of a message, None if there is none."""
        found = self._db.execute(self._sql.MESSAGE.text, row[:5]).fetchone()
        if found is None and row.topic == EVENT and (packed := self._packed(row.key).get((row.seq, row.n))):
            return packed[-2:]
        return found

    def _with_packed(self, key: Key, first: int, last: int, rows: list[Row]) -> list[Row]:
        """Return the rows of some entries of a journal, and the events in its block."""
        packed = self._packed(key)
        return merged(rows, [row for row in packed.values() if first <= row.seq <= last]) if packed else rows

    @staticmethod
    def _row(found: Sequence[Any]) -> Row:
        row = Row(*found)
        return row._replace(body=as_bytes(row.body))

    def _differing(self, rows: Sequence[Row]) -> list[Row]:
        found = ((each, self._stored(each)) for each in rows)
        return [each for each, stored in found if stored and not is_same(stored, each[-2:])]

    def _table_logs(self, table: str) -> list[Log]:
        return [_log(each) for each in self._all(self._sql.LOGS, tbl=table)]

    def proved_bodies(self, table: str, journal: str, first: int, last: int) -> dict[tuple[int, int], bytes]:
        """Return entry and number -> the bytes of each verified round, where other bytes are stored in its place."""
        with self._in_words():
            found = self._all(self._sql.PROVED_BODIES, tbl=table, journal=journal, first=first, last=last)
        return {(int(seq), int(n)): bytes(body) for seq, n, body in found}

    def _save_record(self, changes: Changes) -> None:
        """Write the changes of a batch within its transaction."""
        self._name({name for each in changes.leaves for name in (("", each.origin), (each.table, each.journal))})
        for statement, values in (
            (self._sql.SEEN, changes.keys),
            (self._sql.LOG, sorted(changes.logs.values())),
            (self._sql.LEAF, [_leaf_values(each) for each in changes.leaves]),
            (self._sql.PENDING, [(*each.row, each.came, each.state) for each in changes.pending.values()]),
            (self._sql.SETTLED, tuple(changes.settled)),
            (self._sql.EVIDENCE, tuple(changes.evidence)),
            (self._sql.INCIDENT, [(*each, "") for each in sorted(changes.incidents.values())]),
        ):
            self._many(statement, values)
        if changes.proved:
            self._save_proved(changes.proved)

    def _name(self, names: Iterable[tuple[str, str]]) -> None:
        """Give numbers to origins of records (with "" as their table) and to journals that have none yet."""
        self._many(self._sql.NAMED, [(*each, *each) for each in sorted(names)])

    def _save_proved(self, proved: Sequence[ProvedRound]) -> None:
        """Name the rounds that a checkpoint verified; keep those with another message in their place."""
        same = [(*each[1:], *each.row[1:5], *each.row[-2:]) for each in proved]
        if self._many(self._sql.PROVED, same) < len(same):
            others = [(*each.row[1:5], *each[1:], *each.row[6:]) for each in proved]
            self._many(self._sql.PROVED_OTHERWISE, others)

    def _at_once(self, name: str, rows: Sequence[Sequence[Any]]) -> None:
        """Execute the INSERT of this name for many rows, no two with one key."""
        self._many(getattr(self._sql, name), rows)

    def _many(self, statement: "Statement", rows: Sequence[Sequence[Any]]) -> int:
        """Execute a statement for each row of values, in the order of its places; return how many rows it wrote."""
        if not rows:
            return 0
        cursor = self._db.cursor()
        cursor.executemany(statement.text, rows)
        return int(cursor.rowcount)


def _log(found: Sequence[Any]) -> Log:
    log = Log(*found)
    return log._replace(edge=bytes(log.edge))


def _leaf_values(leaf: Leaf) -> tuple[Any, ...]:
    """Return the values of the statement `LEAF`."""
    return leaf.idx, leaf.seq, bytes.fromhex(leaf.head), leaf.origin, leaf.table, leaf.journal


def in_parts(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Yield rows in lists short enough for one statement."""
    return (rows[start : start + MOST_LISTED] for start in range(0, len(rows), MOST_LISTED))


def as_bytes(body: Any) -> bytes:
    """Return a body as bytes; SQLite gives back a text where another program wrote one."""
    return body.encode() if isinstance(body, str) else bytes(body)
