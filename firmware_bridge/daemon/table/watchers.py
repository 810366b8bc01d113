"""Serves those who watch a table through a control socket: its status, whenever that changes."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, Protocol

from firmware_bridge.daemon.table.connection import Connection
from firmware_bridge.facts.book.roles import Role

WATCH_S: Final = 0.02
"""Seconds between two states for a watcher at least: at 20 cards a second it sees each card."""

LOOK_S: Final = 0.2
"""Seconds between two checks for changes without an entry: pins, frames, the reader's signal."""

FOR_DEALER: Final = ("table_id", "shoe", "table", "lamps", "alarm", "acts")
"""The part of the status that the dealer's display gets: what `shoe watch --dealer` draws."""


class Watch(Protocol):
    """The view of a watcher beyond the status."""

    def begin(self) -> None:
        """Begin for a watcher."""

    def end(self) -> None:
        """End for a watcher."""

    def seen(self, after: int) -> dict[str, Any]:
        """Return the present view; `frames` only those numbered above `after`."""


class Watchers:
    """All watchers of a table. watch: what they see beyond the status, but for the dealer's display."""

    def __init__(self, watch: Watch | None, status: Callable[[], dict[str, Any]]) -> None:
        self._watch, self._status = watch, status
        self._changes = set[asyncio.Event]()

    def changed(self) -> None:
        """Show watchers their view, as it may have changed."""
        for each in self._changes:
            each.set()

    async def serve(self, role: Role, connection: Connection) -> None:
        """Serve a watcher until it ends; a slow one misses states and delays no other."""
        changed = asyncio.Event()
        self._changes.add(changed)
        watch = None if role == "dealer" else self._watch
        if watch:
            watch.begin()
        try:
            async with connection.watched() as gone:  # writing alone would notice its end only at the next change
                await self._show(role, watch, changed, connection, gone)
        finally:
            self._changes.discard(changed)
            if watch:
                watch.end()

    async def _show(
        self,
        role: Role,
        watch: Watch | None,
        changed: asyncio.Event,
        connection: Connection,
        gone: "asyncio.Task[None]",
    ) -> None:
        last, newest = None, 0
        gone.add_done_callback(lambda _: changed.set())
        while not gone.done():
            changed.clear()
            status = self._status()
            if role == "dealer":
                status = {name: status[name] for name in FOR_DEALER}
            if watch:
                status["seen"] = seen = watch.seen(newest)
                newest = seen["frames"][-1]["n"] if seen["frames"] else newest
            if status != last:
                await connection.send(status)
                last = status
            await asyncio.sleep(WATCH_S)
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S - WATCH_S):
                    await changed.wait()
