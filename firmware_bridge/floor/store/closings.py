"""Closes what cannot be mended: gaps, conflicts and quarantine; what was closed, and by whom, stays in the store."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from firmware_bridge.floor.record.ledger import Loaded, closed
from firmware_bridge.floor.record.message import Key, now
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.store.records import Records

if TYPE_CHECKING:
    from firmware_bridge.floor.store.compiled import Statement


class Closing(NamedTuple):
    """Who closes something, and why. at: RFC 3339."""

    by: str
    why: str
    at: str


class ClosedGap(NamedTuple):
    """A gap that was closed up to the entry `to`. since: the time since which its table is not asked any more."""

    key: Key
    to: int
    since: str


class Closings(Records):
    """The part of a `Store` about what a person closed. Methods raise StoreError."""

    @abstractmethod
    def load(self, key: Key) -> Loaded:
        """Return a journal as far as it is kept; an empty one if it is unknown."""

    @abstractmethod
    def _close_alone(self) -> None:
        """Wait for all others that close something, and let them wait until the end of the transaction."""

    def close_gap(self, key: Key, to: int, closing: Closing) -> int:
        """Close what is missing of a journal, up to the entry `to`, 0 for all that is known; return that entry.

        Return 0, with nothing written, where nothing is missing up to there. With it the table is no longer asked for
        what came before the journal. A gap is open again when an entry behind the last known one is missing.
        """
        with self._transaction():
            self._close_alone()
            loaded = self.load(key)
            before, to = loaded.progress, min(to or loaded.progress.known, loaded.progress.known)
            after = closed(loaded, to)
            if after == before:
                return 0
            self._save_progress([after])
            self._many(self._sql.CLOSED, [("gap", "", *key, to, 0, "", before.since, *closing)])
            return to

    def close_conflicts(self, key: Key, seq: int, digest: str, closing: Closing) -> int:
        """Close the open conflicts of an entry, or the one with these bytes (hex SHA-256); return how many."""
        named = {"tbl": key.table, "journal": key.journal, "seq": seq, "digest": digest}
        return self._close(self._sql.CLOSE_CONFLICTS, closing, **named)

    def close_quarantine(self, digest: str, until: str, closing: Closing) -> int:
        """Close what is in quarantine; return how many entries.

        digest: only these bytes (hex SHA-256), "" for all. until: only what came up to this RFC 3339 time, "" for all.
        """
        return self._close(self._sql.CLOSE_QUARANTINE, closing, digest=digest, until=until)

    def owing(self) -> dict[str, str]:
        """Return the tables that must still be asked for all since a time, each with when that began (RFC 3339)."""
        with self._in_words():
            return dict(self._all(self._sql.OWING))

    def closed_counts(self) -> dict[str, int]:
        """Return kind (gap, conflict or quarantine) -> how many were closed."""
        with self._in_words():
            return {str(kind): int(count) for kind, count in self._all(self._sql.CLOSED_COUNTS)}

    def closed_gaps(self) -> list[ClosedGap]:
        """Return the journals with a closed gap, each up to the last closed entry."""
        with self._in_words():
            found = self._all(self._sql.CLOSED_GAPS)
        return [ClosedGap(Key(table, journal), int(to), since) for table, journal, to, since in found]

    def _close(self, statement: "Statement", closing: Closing, **named: object) -> int:
        by, why, at = closing
        values = statement.values(named | {"by_name": by, "why": why, "at": at})
        with self._transaction() as db:
            self._close_alone()
            return int(db.execute(statement.text, values).rowcount)

    def _save_progress(self, progress: Sequence[Progress]) -> None:
        """Write progress within its transaction."""
        at = now()
        self._many(self._sql.PROGRESS, [(*each.key, *each[1:], at) for each in sorted(progress)])
