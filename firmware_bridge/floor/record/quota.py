"""Bounds what is kept of bytes that nothing verifies, for each table and hour."""

from collections.abc import Callable
from hashlib import sha256
from time import time
from typing import Final, Literal, NamedTuple

from firmware_bridge.floor.record.message import Unread, now
from firmware_bridge.floor.record.state import Incident

KEPT: Final = 4096
"""Bytes that are kept of a body that is cut."""

COUNT: Final = 1_000
"""Most messages of a table that the quarantine takes in an hour; of later ones only the count is kept."""

SIZE: Final = 16_000_000
"""Bytes of them from which on each is cut."""

TABLES: Final = 5_000
"""Most tables with a quota of their own; names beyond share one."""

HOUR_S: Final = 3600

Answer = Literal["whole", "cut", "no"]


def excerpt(body: bytes) -> bytes:
    """Return the first `KEPT` bytes of a body, and its length and hash."""
    return body[:KEPT] + f"\n.. cut: {measures(body)}".encode()


def measures(body: bytes) -> str:
    """Return length and hash of a body, in words."""
    return f"{len(body)} bytes, SHA-256 {sha256(body).hexdigest()}"


class Hour(NamedTuple):
    """What came in an hour since 1970."""

    hour: int = 0
    came: int = 0
    size: int = 0


class Quota:
    """What each name may still bring in this hour. clock: seconds since 1970."""

    def __init__(self, count: int, size: int, clock: Callable[[], float] = time) -> None:
        self._count, self._size, self._clock = count, size, clock
        self._used: dict[str, Hour] = {}

    def allow(self, name: str, size: int) -> Answer:
        """Count a message of a name; return whether it is kept whole, cut, or not at all."""
        hour = int(self._clock()) // HOUR_S
        if name not in self._used and len(self._used) >= TABLES:
            self._used = {each: used for each, used in self._used.items() if used.hour == hour}
            name = name if len(self._used) < TABLES else ""
        used = self._used.get(name, Hour())
        used = used if used.hour == hour else Hour(hour)
        self._used[name] = used = Hour(hour, used.came + 1, used.size + size)
        return "no" if used.came > self._count else "cut" if used.size > self._size else "whole"

    def used(self, name: str) -> Hour:
        """Return what a name brought in the hour of its last message."""
        return self._used.get(name, self._used.get("", Hour()))


class Quarantine:
    """What the quarantine takes of each table: `COUNT` messages an hour, whole up to `SIZE`, then cut.

    floods: an incident for each table and hour in which more came, with its count, since they were last collected.
    """

    def __init__(self, clock: Callable[[], float] = time) -> None:
        self._quota = Quota(COUNT, SIZE, clock)
        self.floods: dict[tuple[str, str, str], Incident] = {}

    def kept(self, table: str, unread: Unread) -> Unread | None:
        """Return what is kept of a payload that is no message; None for nothing."""
        answer = self._quota.allow(table, len(unread.body))
        if answer == "whole":
            return unread
        used, at = self._quota.used(table), now()
        text = (
            f"{used.came} messages with {used.size} bytes came in this hour that are none of a table; from {SIZE}"
            f" bytes on each is cut, from {COUNT} on only counted. The last: {measures(unread.body)}"
        )
        found = Incident(table, "flood", f"quarantine {at[:13]}", at, text)
        self.floods[found[:3]] = found
        return unread._replace(body=excerpt(unread.body)) if answer == "cut" else None
