"""The clocks of a table: the stamps of inputs with their random bytes, the timer of its deadlines."""

import asyncio
import secrets
import time
from collections import deque
from collections.abc import Callable
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from typing import Final, TypedDict

from firmware_bridge.facts.wire_states import Clock

SYNCHRONISED: Final = Path("run/systemd/timesync/synchronized")
"""Exists once systemd-timesyncd has set the clock; its directory exists while that runs."""


QUARTER_MS: Final = 900_000
"""Milliseconds in a quarter of an hour: local time changes its offset at the begin of one."""


wall: ContextVar[Callable[[], int] | None] = ContextVar("wall", default=None)
"""The wall clock, a function that returns ns since 1970; None: that of this machine. A simulated table has its own."""


class Stamp(TypedDict):
    """Fields of every input: both times in milliseconds, local time ahead of UTC in minutes, and 128 random bits."""

    at: int
    mono: int
    salt: str
    utc_offset: int


def now() -> Stamp:
    """Return a stamp: ms since 1970 by the wall clock, ms of the loop's clock, rounded up, and fresh random bits."""
    at = (wall.get() or time.time_ns)() // 1_000_000
    return Stamp(at=at, mono=-(-time.monotonic_ns() // 1_000_000), salt=nonce(), utc_offset=utc_offset(at))


def utc_offset(at: int) -> int:
    """Return the minutes that local time is ahead of UTC at a wall time (ms), by the machine's time zone."""
    return _utc_offset(at // QUARTER_MS, time.timezone, time.altzone)


@lru_cache(maxsize=2)
def _utc_offset(quarter: int, *_: int) -> int:
    """Return the offset in a quarter of an hour since 1970, in the time zone with these offsets."""
    return time.localtime(quarter * QUARTER_MS // 1000).tm_gmtoff // 60


def clock(root: Path = Path("/")) -> Clock:
    """Return the state of the wall clock, from the files of the machine in `root`."""
    if (root / SYNCHRONISED).exists():
        return "synchronised"
    return "unsynchronised" if (root / SYNCHRONISED).parent.exists() else "unknown"


NONCE_BYTES: Final = 16
NONCES_AT_ONCE: Final = 64
"""Nonces drawn from the kernel at a time, to keep the call away from most cards."""

_nonces: deque[str] = deque()


def nonce() -> str:
    """Return 128 random bits as 32 hex digits."""
    if not _nonces:
        fresh = secrets.token_hex(NONCE_BYTES * NONCES_AT_ONCE)
        _nonces.extend(fresh[n : n + 2 * NONCE_BYTES] for n in range(0, len(fresh), 2 * NONCE_BYTES))
    return _nonces.popleft()


ASK_AGAIN_S: Final = 1.0
"""Seconds before a past deadline is reported again if the shoe still waits for it."""


class DeadlineTimer:
    """Calls `ring` once at the moment set last."""

    def __init__(self, ring: Callable[[], None], loop: asyncio.AbstractEventLoop) -> None:
        self._call, self._loop = ring, loop
        self._timer: asyncio.TimerHandle | None = None
        self._set_to: int | None = None

    def set(self, moment: int | None) -> None:
        """Set the moment (ms of the loop's clock); None: never."""
        if moment == self._set_to:
            return
        self.stop()
        self._set_to = moment
        if moment is not None:
            is_past = moment <= now()["mono"]  # was reported before and had no effect: not again at once
            self._timer = self._loop.call_at(self._loop.time() + ASK_AGAIN_S if is_past else moment / 1000, self._ring)

    def stop(self) -> None:
        """Stop the timer."""
        if self._timer:
            self._timer.cancel()
        self._timer = self._set_to = None

    def _ring(self) -> None:
        self._timer = self._set_to = None
        self._call()
