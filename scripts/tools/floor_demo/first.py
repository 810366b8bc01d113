"""Waiting for the first of several things to end."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable


async def first(*awaited: Awaitable[object]) -> None:
    """Wait until one of them ends, and cancel the others. Raises what it raised."""
    tasks = [asyncio.ensure_future(each) for each in awaited]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for each in done:
            each.result()
    finally:
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
