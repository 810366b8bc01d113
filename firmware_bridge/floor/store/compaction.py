"""Makes the events of a shoe that is over one block, in one transaction, and deletes old journals with their blocks."""

from abc import abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, NamedTuple

from firmware_bridge.floor.record.message import EVENT, Key, Row, is_same
from firmware_bridge.floor.store.blocks import packed, shoes, unpacked
from firmware_bridge.floor.store.facts import FactWrites

if TYPE_CHECKING:
    from firmware_bridge.floor.store import Old


class Compacted(NamedTuple):
    """A block that was made. size: bytes of the bodies before; block: bytes of the block."""

    key: Key
    messages: int
    size: int
    block: int


class Unpacked(NamedTuple):
    """Messages of a batch that are in no block, or with other bytes; and the events of blocks to store again."""

    others: list[Row]
    again: list[Row]


class Compaction(FactWrites):
    """The part of a `Store` that makes blocks, and deletes journals because of their age. Methods raise StoreError."""

    def over(self) -> list[Key]:
        """Return the complete journals that a later shoe has followed, without a block."""
        with self._in_words():
            return [Key(*each) for each in self._all(self._sql.OVER)]

    def compact(self, key: Key, before: str, *, quorum: bool = False) -> Compacted | None:
        """Make the events of a journal one block; return None if that cannot be yet.

        The journal must be complete, without conflict, followed by a later shoe, and without an event from after the
        RFC 3339 time `before`. Of a table with an enrolled key a checkpoint must cover all of it; quorum: one that a
        quorum of witnesses cosigned. Each byte of the block is compared with the stored rows before one is deleted.
        """
        with self._in_words():
            if not self._is_over(key, quorum=quorum):
                return None
            rows = self._events(key)
        if not rows or max(max(row.at, row.received_at) for row in rows) >= before:
            return None
        block = packed(rows)  # takes the longest, and other writers need not wait for it
        with self._transaction():
            self._alone_with_messages()
            if not self._is_over(key, quorum=quorum) or self._events(key) != unpacked(key, block.body, block.digest):
                return None
            self._many(self._sql.BLOCK_MADE, [block])
            self._many(self._sql.BLOCK_SHOES, shoes(rows))
            self._many(self._sql.TAKEN, [key])
            with self._deleting("message"):
                if (count := self._many(self._sql.EXPIRE_EVENTS, [key])) != len(rows):
                    raise AssertionError(f"{count} of {len(rows)} events of {key} were deleted")
        return Compacted(key, len(rows), sum(len(row.body) for row in rows), len(block.body))

    def _unpack(self, key: Key) -> None:
        """Decode a block ahead of a transaction that needs it, since others wait for that."""
        with self._in_words():
            self._packed(key)

    def _forget_block(self, key: Key) -> None:
        self._many(self._sql.EXPIRE_BLOCK, [key])
        self._many(self._sql.EXPIRE_BLOCK_SHOES, [key])

    def _is_over(self, key: Key, *, quorum: bool) -> bool:
        """Return whether the events of a journal may become a block."""
        if not self._all(self._sql.IS_OVER, tbl=key.table, journal=key.journal) or self._holds_newest(key):
            return False
        return not self.unproved(*key, quorum=quorum)

    def _events(self, key: Key) -> list[Row]:
        return [self._row(each) for each in self._all(self._sql.EVENTS, tbl=key.table, journal=key.journal)]

    def expire(self, key: Key, before: str, now: str, *, quorum: bool = False) -> "Old | None":
        """Delete an old journal, and record that; return it, None if it is not old or stays. Its leaves are kept."""
        self._unpack(key)
        with self._transaction(), self._deleting("message", "block", "block_shoe"):
            for found in self._old(before, key, quorum=quorum):
                if not found.stays:
                    with self._alone():
                        self._forget_facts(key)
                    self._many(self._sql.EXPIRE, [key])
                    self._forget_block(key)
                    self._many(self._sql.EXPIRE_FEED, [key])
                    self._many(self._sql.EXPIRE_TAKEN, [key])
                    self._many(self._sql.EXPIRED, [(*key, *found[1:-1], now)])
                    return found
        return None

    def compacted(self, before: str) -> list[Key]:
        """Return the journals with blocks that hold nothing from an RFC 3339 time on, the oldest first."""
        with self._in_words():
            return [Key(*each) for each in self._all(self._sql.OLD_BLOCKS, before=before)]

    def expire_events(self, key: Key, before: str, now: str, *, quorum: bool = False, dry: bool = False) -> int:
        """Delete the events of an old compacted journal, and record that; return how many, 0 if it must stay.

        Its rounds and leaves are kept. dry: delete nothing.
        """
        self._unpack(key)
        with self._transaction(), self._deleting("message", "block", "block_shoe"):
            for found in self._old(before, key, quorum=quorum):
                if not found.stays and (events := len(self._packed(key))):
                    if not dry:
                        self._many(self._sql.EXPIRE_EVENTS, [key])
                        self._forget_block(key)
                        self._many(self._sql.EXPIRE_EVENT_FEED, [key])
                        self._many(self._sql.EXPIRED, [(*key, *found[1:4], events, 0, now)])
                    return events
        return 0

    def _not_in_blocks(self, rows: list[Row]) -> "Unpacked":
        """Separate messages that came again and are in a block.

        An event of a block that came with other bytes is stored as a row again, so that the conflict shows both.
        """
        keys = list(dict.fromkeys(row[1:3] for row in rows if row.topic == EVENT))
        names = self._named(self._sql.BLOCKS_AMONG, keys) if keys else []
        if not names:
            return Unpacked(rows, [])
        packed = {key: self._packed(key) for key in dict.fromkeys(Key(*each) for each in names)}
        found = Unpacked([], [])
        for row in rows:
            same = packed.get(row.key, {}).get((row.seq, row.n)) if row.topic == EVENT else None
            if same is None:
                found.others.append(row)
            elif not is_same(same[-2:], row[-2:]):
                found.others.append(row)
                found.again.append(same)
        return found

    @abstractmethod
    def _alone_with_messages(self) -> None:
        """Wait until no other transaction inserts messages, and let none begin before this one ends."""

    @abstractmethod
    def _deleting(self, *tables: str) -> AbstractContextManager[None]:
        """Return a context within a transaction in which rows of these tables may be deleted."""

    @abstractmethod
    def _holds_newest(self, key: Key) -> bool:
        """Return whether a journal must stay as rows, for it has the row by which the engine counts."""

    @abstractmethod
    def _old(self, before: str, key: Key | None = None, *, quorum: bool) -> Sequence["Old"]: ...
