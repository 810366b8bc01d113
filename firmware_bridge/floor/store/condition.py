"""What a store says of the ingests that write it, and of the room that it has."""

from abc import abstractmethod
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

from firmware_bridge.floor.record.message import rfc3339, seconds
from firmware_bridge.floor.store.records import RecordQueries, Records

DAY_S: Final = 86_400.0

PACE_DAYS: Final = 7
"""Days over which the growth of a store is averaged; at least one is needed."""

RECENT_S: Final = 1_800.0
"""Least age of the size that the growth of the last hour is counted from."""

SIZES_DAYS: Final = 30
"""Days that the sizes of a store are kept."""


class Heartbeat(NamedTuple):
    """What an ingest says of itself every few seconds. Times are RFC 3339 by its clock, "" for none.

    committed_at: of its last commit of messages. message_at: when the newest message came. backlog: entries that
    tables have announced and that are not stored. fault: why it receives nothing, "" if it does.
    """

    name: str
    at: str
    committed_at: str = ""
    message_at: str = ""
    backlog: int = 0
    fault: str = ""


class Room(NamedTuple):
    """Bytes that a store takes, and bytes that it may still take; None where only its server knows."""

    used: int
    free: int | None


class ConditionQueries(RecordQueries):
    """The queries about ingest and disk that a `Store` and a `Reader` answer. Methods raise StoreError."""

    @abstractmethod
    def room(self) -> Room:
        """Return how large the store is now, and how much room it has."""

    def heartbeats(self) -> list[Heartbeat]:
        """Return the last one of each ingest, the newest first; without those a day older than the newest."""
        with self._in_words():
            found = [Heartbeat(*each) for each in self._all(self._sql.HEARTBEATS)]
        return [each for each in found if seconds(found[0].at) - seconds(each.at) < DAY_S]

    def sizes(self) -> list[tuple[float, int]]:
        """Return when the store had which size: seconds since 1970, and bytes; one an hour, the oldest first."""
        with self._in_words():
            return [(seconds(at), int(size)) for at, size in self._all(self._sql.STORE_SIZES)]


class Condition(ConditionQueries, Records):
    """The part of a `Store` about ingest and disk. Methods raise StoreError."""

    def beat(self, heartbeat: Heartbeat) -> None:
        """Keep what an ingest says of itself; once an hour the size of the store too."""
        with self._transaction():
            self._many(self._sql.HEARTBEAT, [heartbeat])
            hour = heartbeat.at[:13]
            if self._many(self._sql.STORE_SIZE, [(hour, heartbeat.at, self.room().used)]):
                before = datetime.fromtimestamp(seconds(heartbeat.at), UTC) - timedelta(days=SIZES_DAYS)
                self._many(self._sql.EXPIRE_SIZES, [(rfc3339(before),)])


def bytes_a_day(sizes: Sequence[tuple[float, int]], used: int, now: float) -> float | None:
    """Return how fast a store grows, in bytes a day, averaged over the last days; None before the first day.

    sizes: as of `Reader.sizes`. now: seconds since 1970.
    """
    old = [(now - at, size) for at, size in sizes if DAY_S <= now - at <= PACE_DAYS * DAY_S]
    return max(0.0, used - old[0][1]) / old[0][0] * DAY_S if old else None


def days_left(room: Room, sizes: Sequence[tuple[float, int]], now: float) -> float | None:
    """Return the days until the disk is full at the last days' pace; None where that is not known, or it does not grow.

    The pace of the last hour counts where at this the disk is full within a day.
    """
    if room.free is None:
        return None
    daily = bytes_a_day(sizes, room.used, now)
    left = [room.free / daily] if daily else []
    recent = [(now - at, room.used - size) for at, size in sizes if RECENT_S <= now - at <= DAY_S / 12]
    if recent and recent[-1][1] > 0:
        age, growth = recent[-1]
        left += [each for each in (room.free / growth * age / DAY_S,) if each < 1]
    return min(left, default=None)
