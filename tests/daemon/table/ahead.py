"""Gives a table the time to look ahead."""

from __future__ import annotations

import asyncio

from firmware_bridge.daemon.table.look_ahead import LookAhead

LIMIT_S = 60.0


async def at_rest(ahead: LookAhead) -> None:
    """Wait until nothing is left to judge ahead."""
    async with asyncio.timeout(LIMIT_S):
        while not ahead.is_at_rest:
            await asyncio.sleep(0.001)
