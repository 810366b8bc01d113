"""Findings of `shoe-floor check` about receivers of webhooks."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final

from firmware_bridge.config.findings import Finding
from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.record.message import rfc3339
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.feed import Forwarded

NAME: Final = "webhooks"

LONG: Final = timedelta(minutes=5)
"""Time after which something that waits is a sign that nothing is sent."""

START: Final = "sudo systemctl enable --now shoe-floor-forward (docs/forward.md)"
RUNS: Final = "see that shoe-floor forward runs: systemctl status shoe-floor-forward"
MEND: Final = "mend the receiver, or url and key_file of its [[forward]]; what waits is sent then, and nothing is lost"


def findings(config: FloorConfig, store: Store) -> Iterator[Finding]:
    """How far each receiver of `floor.toml` is. Raises StoreError."""
    known = {each.name: each for each in store.forwarded()}
    for row in config.forward:
        if at := known.get(row.name):
            yield _of(at, store.feed_behind(at.place))
        else:
            yield Finding("WARN", NAME, f"{row.name}: nothing was ever sent to it", START)


def _of(at: Forwarded, behind: int) -> Finding:
    waits = f"{at.name}: {behind} message{' waits' if behind == 1 else 's wait'}"
    if at.trouble:
        return Finding("FAIL", NAME, f"{waits}, it takes nothing since {at.since}: {at.trouble}", MEND)
    if not behind:
        return Finding("OK", NAME, f"{at.name}: it has all that is stored")
    if at.at < rfc3339(datetime.now(UTC) - LONG):
        since = f" since {at.at}" if at.at else ""
        return Finding("WARN", NAME, f"{waits}, and nothing was sent{since}", RUNS)
    return Finding("OK", NAME, waits)
