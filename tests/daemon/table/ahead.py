"""Gives a table the time to look ahead."""

from __future__ import annotations

from firmware_bridge.daemon.table.look_ahead import LookAhead
from tests.kit.patience import comes


async def at_rest(ahead: LookAhead) -> None:
    """Wait until nothing is left to judge ahead."""
    await comes(lambda: ahead.is_at_rest, look_s=0.001)
