"""Messages of one table that no checkpoint has verified: kept apart from the others, within a quota."""

from collections.abc import Callable, Iterable
from hashlib import sha256
from time import time
from typing import Final

from firmware_bridge.floor.record.message import Row
from firmware_bridge.floor.record.quota import Quota
from firmware_bridge.floor.record.state import Changes, Pending, PendingKey

EVIDENCE_SHARE: Final = 2
"""Evidence may fill one part in so many of the quota; later evidence is counted as an incident only."""

MOST: Final = 200_000
"""Most messages of a table in each room."""

_Kept = dict[PendingKey, tuple[int, Row | None]]
"""Size of each message, and the message if it is in memory."""


class Waiting:
    """The messages of a table that wait. quota: bytes. hide: replaces names in what is stored. clock: s since 1970.

    What follows from the last verified entry, and what does not, has a room of `quota` and `MOST` messages each. In the
    first, what is there stays, and a later message is in memory alone until a checkpoint verifies it. In the second the
    oldest message gives way to a new one; once as much gave way in an hour as there is room, nothing more is kept in
    that hour. Of evidence the oldest stays. dropped: called with each message that gave way.
    """

    def __init__(
        self,
        stored: Iterable[tuple[PendingKey, int, str]],
        quota: int,
        hide: Callable[[Row], Row],
        dropped: Callable[[Row], None],
        clock: Callable[[], float] = time,
    ) -> None:
        self._gone = Quota(MOST, quota, clock)
        self._is_full = False
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
        self._chained_size, self._over = 0, set[PendingKey]()
        self._evidence_size = sum(self._evidence.values())

    def add(self, row: Row, changes: Changes) -> bool:
        """Keep a message; return whether all that waits fits into the quota, so that none gave way."""
        key = pending_key(row)
        if key in self._chained or key in self._over or key in self._evidence:
            return True
        if self._is_full and self._gone.allow("", 0) != "whole":
            return False
        self._is_full = False
        if key not in self._loose:
            changes.pending[key] = Pending(self._hide(row), key[-1])
            changes.settled.pop(key, None)
            self._size += len(row.body)
        self._loose[key] = (len(row.body), row)
        fits = True
        while (self._size > self._quota or len(self._loose) > MOST) and (oldest := next(iter(self._loose))) != key:
            fits = False
            size, gone = self._loose.pop(oldest)
            self._size -= size
            self._delete(oldest, changes)
            self._is_full |= self._gone.allow("", size) != "whole"
            if gone:
                self._dropped(gone)
        return fits and self._size <= self._quota

    def chain(self, rows: Iterable[Row], changes: Changes) -> bool:
        """Record that messages are of an entry that follows from the last verified one; return whether they are kept.

        What is not kept is in memory alone, and must not count as stored.
        """
        keys = {pending_key(row): row for row in rows}
        fresh = {key: row for key, row in keys.items() if key not in self._chained}
        size = sum(len(row.body) for row in fresh.values())
        if self._chained_size + size > self._quota or len(self._chained) + len(fresh) > MOST:
            for key in fresh:
                if self._loose.get(key):
                    self._size -= self._loose.pop(key)[0]
                    self._delete(key, changes)
                self._over.add(key)
            return False
        for key, row in fresh.items():
            if self._loose.get(key):
                self._size -= self._loose.pop(key)[0]
            else:
                changes.pending[key] = Pending(self._hide(row), key[-1])
                changes.settled.pop(key, None)
            self._over.discard(key)
            self._chained[key] = (len(row.body), None)
        self._chained_size += size
        return True

    def is_over(self, row: Row) -> bool:
        """Return whether a message of an entry that follows is in memory alone."""
        return bool(self._over) and pending_key(row) in self._over

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
        """Forget a message that waits; return whether it did."""
        if found := self._chained.pop(key, None):
            self._chained_size -= found[0]
            return True
        self._over.discard(key)
        size, _ = self._loose.pop(key, (0, None))
        self._size -= size
        return size > 0

    def _delete(self, key: PendingKey, changes: Changes) -> None:
        if changes.pending.pop(key, None) is None:
            changes.settled[key] = None


def pending_key(row: Row) -> PendingKey:
    """Return the key of a message among those that wait."""
    return row.topic, row.table, row.journal, row.seq, row.n, row.digest or sha256(row.body).digest()
