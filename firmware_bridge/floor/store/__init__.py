"""Interface of a store of messages, for any engine."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from hashlib import sha256
from heapq import merge
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from firmware_bridge.facts.decoding import text_of
from firmware_bridge.floor.record.ledger import Loaded, Previous
from firmware_bridge.floor.record.message import Key, Row, Unread, came_as
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.record.state import Changes
from firmware_bridge.floor.store.closings import Closings
from firmware_bridge.floor.store.compaction import Compaction
from firmware_bridge.floor.store.condition import Condition, ConditionQueries
from firmware_bridge.floor.store.cosigned import Cosigned, CosignedQueries
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.fact_exports import FactExports
from firmware_bridge.floor.store.fact_queries import FactQueries
from firmware_bridge.floor.store.feed import FeedQueries
from firmware_bridge.floor.store.past_queries import PastQueries

What = Literal[
    "rounds",
    "messages",
    "conflicts",
    "quarantine",
    "gaps",
    "closed",
    "closed_conflicts",
    "closed_quarantine",
    "shoes",
    "expired",
    "incidents",
    "pending",
]
"""What can be exported: the rounds that count, every message, and the views of the same names.

Conflicts, quarantine and gaps are those that are open; `closed` has who closed the others, `closed_*` what it was too.
"""

FactName = Literal[
    "fact_round",
    "fact_stake",
    "fact_day",
    "fact_bet",
    "fact_dealer_bet",
    "fact_pace",
    "fact_hours",
    "fact_alarm",
    "fact_dealer",
    "fact_entry",
    "fact_shoe",
    "fact_order",
    "fact_acts",
    "fact_none",
]
"""The tables of facts that can be exported."""

Part = Literal["ingest", "reader", "closer", "forward"]
"""What a role of a server may do: write messages, read them, close what is open, or send messages on.

None may change or delete one.
"""


NAMES: Final = {"tbl": "table", "by_name": "by"}
"""Column -> its name in an export, where that is another one."""

COUNTED: Final = 10_000
"""Most rows in conflict, and in quarantine, that are counted exactly."""

FORMAT: Final = 10
"""Format of tables and views in both engines; no other is read or written."""

OLDEST: Final = 8
"""The oldest format that `shoe-floor migrate` makes this one of."""


class OtherFormat(StoreError):
    """A store of another format or program; nothing was written to it."""

    def __init__(self, place: str, found: int) -> None:
        self.found = found
        what = f"{place} is a store of format {found}, but this shoe-floor needs format {FORMAT}"
        if OLDEST <= found < FORMAT:
            hint = "stop what uses it, then run shoe-floor migrate, which keeps a backup; --dry-run only looks"
        else:
            hint = "install the version that made it, or set another store in [store] of floor.toml"
        super().__init__(what, hint)


class Saved(NamedTuple):
    """Counts of a saved batch: new messages, repeats of the same bytes, and conflicts."""

    fresh: int = 0
    repeats: int = 0
    conflicts: int = 0


class Old(NamedTuple):
    """A journal with no message since a time. stays: why it is not deleted, "" if it can be."""

    key: Key
    shoe: int
    first_at: str
    last_at: str
    messages: int
    rounds: int
    stays: str


class Counts(NamedTuple):
    """How many messages were ever stored, were in conflict, are in quarantine; journals with gaps, open incidents.

    Of conflicts and quarantine also how many are not closed, at most `COUNTED`. The first is an estimate in
    PostgreSQL, and so are large numbers of the next two (docs/metrics.md).
    """

    messages: int
    conflicts: int
    quarantine: int
    gaps: int
    incidents: int = 0
    open_conflicts: int = 0
    open_quarantine: int = 0


class StoredRound(NamedTuple):
    """A message of the topic `round`. prev_journal: the journal of the round message before it."""

    journal: str
    shoe: int
    round: int
    revision: int
    prev_journal: str | None
    body: bytes

    @property
    def place(self) -> tuple[str, int, int]:
        """Its round: journal, shoe, round."""
        return self.journal, self.shoe, self.round


class RecordSize(NamedTuple):
    """How many entries of a table's newest record are verified, and how many a quorum of witnesses cosigned."""

    table: str
    size: int
    witnessed: int


class Reader(CosignedQueries, ConditionQueries, FactQueries, FeedQueries, PastQueries):
    """Reads a store beside the ingest, which never waits for it. Changes nothing. All methods raise StoreError."""

    @abstractmethod
    def counts(self) -> Counts:
        """Return the counts of the store, in a short time for any size."""

    def last_rounds(self, key: Key, shoe: int, most: int) -> list[bytes]:
        """Return a table's newest messages of the topic `round`, from this journal and shoe back; the oldest first.

        A correction, or the void of a closed round, is left out without the message that closed the round.
        """
        with self._reading():
            found = self._rounds(key.table, key.journal, most)
            if not found and (before := self._all(self._sql.EARLIER, tbl=key.table, shoe=shoe)):
                found = self._rounds(key.table, str(before[0][0]), most)
            while found and len(found) < most:
                earlier = found[-1].prev_journal
                left = most - len(found)
                some = self._rounds(key.table, earlier, left) if earlier and earlier != found[-1].journal else []
                if not some:
                    break
                found += some
        closed = {each.place for each in found if not each.revision}
        return [each.body for each in reversed(found) if each.place in closed]

    def records(self) -> list[RecordSize]:
        """Return the size of each table's record."""
        with self._reading():
            return [RecordSize(*each) for each in self._all(self._sql.SIZES)]

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Any]:
        """Return a context of queries, which raises errors of the engine as StoreError."""

    def _in_words(self) -> AbstractContextManager[Any]:
        return self._reading()

    def _rounds(self, table: str, journal: str, count: int) -> list[StoredRound]:
        """Return the newest rounds of a journal, the newest first."""
        found = self._all(self._sql.LAST_ROUNDS, tbl=table, journal=journal, most=count)
        return [StoredRound(*each) for each in found]


class Store(Cosigned, Closings, Condition, FactExports, Compaction):
    """Keeps messages for good: when `save` returns, they are on disk. All methods raise StoreError."""

    def save(
        self,
        rows: Sequence[Row],
        unread: Sequence[Unread],
        progress: Sequence[Progress],
        record: Changes | None = None,
    ) -> Saved:
        """Commit a batch, all or nothing. record: what it changes in the records of tables."""
        # Sorted by key, so that two writers cannot deadlock.
        rows, count = sorted(rows, key=lambda row: row[:5]), len(rows)
        with self._transaction():
            self._before_messages()
            rows, again = self._not_in_blocks(rows)
            if again:
                self._insert(again)
            fresh, others = self._insert(rows)
            self._many(self._sql.CONFLICT, [(*row[:5], row.received_at, row.body, came_as(row)) for row in others])
            self._many(self._sql.QUARANTINE, [(*each, sha256(each.body).digest()) for each in sorted(unread)])
            self._save_progress(progress)
            if record:
                self._save_record(record)
            self._save_made([row for row in rows if row not in others] if others else rows, record)
        return Saved(fresh, count - fresh - len(others), len(others))

    def load(self, key: Key) -> Loaded:
        """Return a journal as far as it is kept; an empty one if it is unknown."""
        with self._in_words():
            named = {"tbl": key.table, "journal": key.journal}
            kept = Progress(key, *next(iter(self._all(self._sql.LOAD, **named)), (0, 0, 0)))
            rows = [Row(*each) for each in self._all(self._sql.BEHIND, **named, seq=kept.whole)]
            previous = [] if kept.known else self._all(self._sql.PREVIOUS, **named)
        before = Previous(*previous[0]) if previous and previous[0][1] else None
        return Loaded(kept, rows, before)

    def lacking(self) -> list[Key]:
        """Return the journals that are not complete, or begun after messages that must still be asked for."""
        with self._in_words():
            return [Key(*each) for each in self._all(self._sql.LACKING)]

    def count(self, what: What) -> int:
        """Return the number of rows."""
        with self._in_words():
            count = int(self._db.execute(f"select count(*) from {self._sql.view(what)}").fetchone()[0])
            if what == "messages":
                [(packed,)], [(again,)] = self._all(self._sql.PACKED), self._all(self._sql.PACKED_AGAIN)
                count += int(packed or 0) - again
        return count

    def columns(self, what: What) -> tuple[str, ...]:
        """Return the names of the columns of `rows`."""
        return tuple(NAMES.get(name, name) for name in self._names(what))

    def rows(self, what: What, table: str | None, journal: str | None) -> Iterator[tuple[object, ...]]:
        """Yield all rows, or those of one table or journal, as of the start of the query."""
        rows = self._stream(*self._wanted(what, table, journal))
        if what != "messages":
            yield from rows
            return
        before = None
        for each in merge(rows, self._packed_messages(table or "", journal or ""), key=_place):
            if _place(each) != before:  # a journal that becomes a block during the query is in both
                yield each
            before = _place(each)

    def _packed_messages(self, table: str, journal: str) -> Iterator[tuple[object, ...]]:
        """Yield the rows of the view `messages` that are in blocks, in its order."""
        with self._in_words():
            keys = [Key(*each) for each in self._all(self._sql.BLOCKS, tbl=table, journal=journal)]
        for key in keys:
            with self._in_words():
                rows = list(self._packed(key).values())
            for row in rows:
                came_as = row.digest.hex() if row.digest is not None else None
                yield *row[:5], row.at, row.received_at, came_as, text_of(row.body)

    def newest(self) -> str:
        """Return the RFC 3339 time of the newest message, by the shoe's clock or by its arrival, the earlier one.

        "" without a message.
        """
        with self._in_words():
            [(at, came)] = self._all(self._sql.NEWEST)
        return min(at or "", came or "")

    def old(self, before: str, *, quorum: bool = False) -> list[Old]:
        """Return the journals without a message since an RFC 3339 time; the oldest first.

        Of a table with an enrolled key one stays until a checkpoint covers all of it. quorum: one that a quorum of
        witnesses cosigned.
        """
        with self._in_words():
            return self._old(before, quorum=quorum)

    def has_messages(self) -> bool:
        """Return whether there is a message."""
        with self._in_words():
            return bool(self._all(self._sql.HAS_MESSAGES)[0][0])

    def count_some(self, what: What) -> int:
        """Return the number of rows of a view, up to `COUNTED`."""
        with self._in_words():
            query = f"select count(*) from (select 1 from {self._sql.view(what)} limit {COUNTED}) counted"
            return int(self._db.execute(query).fetchone()[0])

    @abstractmethod
    def faults(self, *, whole: bool = False) -> list[str]:
        """Return faults of the store's files or its server, in words. whole: of all in a file, slow for a large one."""

    @abstractmethod
    def backup(self, target: Path) -> None:
        """Write a copy of the store to a file, while others write."""

    @abstractmethod
    def grant(self, role: str, part: Part) -> None:
        """Grant a role of the server its part, and nothing else on these tables."""

    def close(self) -> None:
        """Close the connection."""
        self._db.close()

    @abstractmethod
    def _before_messages(self) -> None:
        """Let no journal become a block before the end of this transaction."""

    @abstractmethod
    def _insert(self, rows: list[Row]) -> tuple[int, list[Row]]:
        """Insert messages; return how many are new, and those in conflict with a stored one."""

    @abstractmethod
    def _in_words(self) -> AbstractContextManager[None]:
        """Return a context that raises errors of the engine as StoreError."""

    @abstractmethod
    def _transaction(self) -> AbstractContextManager[Any]:
        """Return a context of a transaction, which gives the connection."""

    def _old(self, before: str, key: Key | None = None, *, quorum: bool) -> list[Old]:
        """Return the old journals, or the one of `key`."""
        named = {"before": before, "tbl": key and key.table, "journal": key and key.journal}
        rows = self._all(self._sql.OLD_ONE if key else self._sql.OLD, **named)
        found = [Old(Key(*each[:2]), *each[2:]) for each in rows]
        return [each if each.stays else each._replace(stays=self._unsettled(each.key, quorum=quorum)) for each in found]

    def _unsettled(self, key: Key, *, quorum: bool) -> str:
        """Return why a journal of an enrolled table stays; "" if it can go."""
        count = self.unproved(*key, quorum=quorum)
        what = "no quorum of witnesses has cosigned" if quorum else "no checkpoint has verified"
        return f"{what} {count} of its entries" if count else ""

    def _names(self, what: What) -> list[str]:
        with self._in_words():
            return [name for name, *_ in self._db.execute(f"select * from {self._sql.view(what)} limit 0").description]

    def _wanted(self, what: What, table: str | None, journal: str | None) -> tuple[str, list[object]]:
        """Return the query of `rows` with its values. Raises StoreError if a column to filter by does not exist."""
        named = {column: value for column, value in {"tbl": table, "journal": journal}.items() if value is not None}
        if missing := set(named) - set(self._names(what)):
            words = " and no ".join(sorted(NAMES.get(each, each) for each in missing))
            raise StoreError(f"{what} have no {words}", "export all of them")
        query = self._sql.rows_of(what, tuple(named))
        return query.text, query.values(named)


def _place(row: Sequence[Any]) -> tuple[object, ...]:
    """Return what the view `messages` is ordered by."""
    topic, table, journal, seq, n, *_ = row
    return table, journal, seq, n, topic
