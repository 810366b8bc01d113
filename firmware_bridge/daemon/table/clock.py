"""What an input is stamped with: the time, 16 random bytes of its own, and a nonce."""

import secrets
import time
from collections import deque
from pathlib import Path
from typing import Final, TypedDict

from firmware_bridge.facts.wire_states import Clock

SYNCHRONISED: Final = Path("run/systemd/timesync/synchronized")
"""There once systemd-timesyncd has set the clock; its directory is there while it runs."""


class Stamp(TypedDict):
    """What every input has: both times in milliseconds, and 128 random bits as 32 hex digits."""

    at: int
    mono: int
    salt: str


def now() -> Stamp:
    """The wall clock since 1970, the loop's clock, rounded up, and fresh random bits."""
    return Stamp(at=time.time_ns() // 1_000_000, mono=-(-time.monotonic_ns() // 1_000_000), salt=nonce())


def clock(root: Path = Path("/")) -> Clock:
    """Whether the wall clock is kept by a time server, as far as the machine whose files are in `root` says."""
    if (root / SYNCHRONISED).exists():
        return "synchronised"
    return "unsynchronised" if (root / SYNCHRONISED).parent.exists() else "unknown"


NONCE_BYTES: Final = 16
NONCES_AT_ONCE: Final = 64
"""Random numbers asked of the kernel at a time: not in the way of every card."""

_nonces: deque[str] = deque()


def nonce() -> str:
    """128 random bits as 32 hex digits."""
    if not _nonces:
        fresh = secrets.token_hex(NONCE_BYTES * NONCES_AT_ONCE)
        _nonces.extend(fresh[n : n + 2 * NONCE_BYTES] for n in range(0, len(fresh), 2 * NONCE_BYTES))
    return _nonces.popleft()
