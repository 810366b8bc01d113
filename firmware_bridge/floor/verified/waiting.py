"""Messages of one table that no checkpoint has verified: kept apart from the others, within a quota."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Final

from firmware_bridge.floor.record.message import Row
from firmware_bridge.floor.record.state import Changes, Pending, PendingKey

EVIDENCE_SHARE: Final = 2
"""Evidence may fill one part in so many of the quota; later evidence is counted as an incident only."""

_Kept = dict[PendingKey, tuple[int, Row | None]]
"""Size of each message, and the message if it is in memory."""


class Waiting:
    """The messages of a table that wait. quota: bytes. hide: replaces names in what is stored.

    What follows from the last verified entry is never dropped. Of the rest the oldest message gives way to a new one;
    of evidence the oldest stays. dropped: called with each message that gave way.
    """

    def __init__(
        self,
        stored: Iterable[tuple[PendingKey, int, str]],
        quota: int,
        hide: Callable[[Row], Row],
        dropped: Callable[[Row], None],
    ) -> None:
        self._quota, self._hide, self._dropped = quota, hide, dropped
        self._loose: _Kept = {}
        self._chained: _Kept = {}
        self._evidence: dict[PendingKey, int] = {}
        for key, size, state in stored:
            if state == "waits":
                self._loose[key] = (size, None)
            else:
                self._evidence[key] = size
        self._size = sum(size for size, _ in self._loose.values())
        self._evidence_size = sum(self._evidence.values())

    def add(self, row: Row, changes: Changes) -> bool:
        """Keep a message; whether all that waits fits into the quota, so that none gave way."""
        key = pending_key(row)
        if key in self._chained or key in self._evidence:
            return True
        if key not in self._loose:
            changes.pending[key] = Pending(self._hide(row), key[-1])
            changes.settled.pop(key, None)
            self._size += len(row.body)
        self._loose[key] = (len(row.body), row)
        fits = self._size <= self._quota
        while self._size > self._quota and (oldest := next(iter(self._loose))) != key:
            size, gone = self._loose.pop(oldest)
            self._size -= size
            self._delete(oldest, changes)
            if gone:
                self._dropped(gone)
        return fits

    def chain(self, rows: Iterable[Row]) -> None:
        """Record that messages are of an entry that follows from the last verified one."""
        for row in rows:
            key = pending_key(row)
            if key in self._loose:
                size, _ = self._loose.pop(key)
                self._size -= size
                self._chained[key] = (size, None)

    def settle(self, row: Row, changes: Changes) -> None:
        """Remove a message that is verified."""
        key = pending_key(row)
        if self._pop(key) or key in self._evidence:
            self._evidence_size -= self._evidence.pop(key, 0)
            self._delete(key, changes)

    def convict(self, row: Row, changes: Changes) -> None:
        """Keep a message as evidence, for the verified entry in its place is another one."""
        key = pending_key(row)
        if key in self._evidence:
            return
        is_stored = self._pop(key) and key not in changes.pending
        if self._evidence_size + len(row.body) > self._quota // EVIDENCE_SHARE:
            self._delete(key, changes)
            return
        self._evidence[key] = len(row.body)
        self._evidence_size += len(row.body)
        if is_stored:
            changes.evidence[key] = None
        else:
            changes.pending[key] = Pending(self._hide(row), key[-1], "evidence")

    def _pop(self, key: PendingKey) -> bool:
        """Forget a message that waits; whether it did."""
        if self._chained.pop(key, None):
            return True
        size, _ = self._loose.pop(key, (0, None))
        self._size -= size
        return size > 0

    def _delete(self, key: PendingKey, changes: Changes) -> None:
        if changes.pending.pop(key, None) is None:
            changes.settled[key] = None


def pending_key(row: Row) -> PendingKey:
    """The key of a message among those that wait."""
    return row.topic, row.table, row.journal, row.seq, row.n, row.digest or sha256(row.body).digest()
