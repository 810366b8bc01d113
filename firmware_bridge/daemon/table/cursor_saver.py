"""Writes the outbox's cursor to disk, soon after it moved."""

import asyncio
from collections.abc import Callable
from typing import Final

from firmware_bridge.daemon.delivery.outbox import Outbox
from firmware_bridge.daemon.table.fair_turns import begun
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.journal.cursor import Cursor

SAVE_S: Final = 0.1
"""Seconds between two writes of the cursor at least."""

SAVE_AGAIN_S: Final = 5.0
"""Seconds until a failed write of the cursor is repeated."""


class CursorSaver:
    """Writes the outbox's cursor soon after it `moved`, until `close`; raises an alarm where that fails.

    Each write is done in a thread, one after the other: only entries that the broker has acknowledged are in it, so a
    late one repeats messages and loses none.
    """

    def __init__(self, outbox: Outbox, table: Table, loop: asyncio.AbstractEventLoop) -> None:
        self._outbox, self._table, self._loop = outbox, table, loop
        self._is_failing = False
        self._timer: asyncio.TimerHandle | None = None
        self._saving: asyncio.Task[None] | None = None
        self._synced = list[Callable[[Cursor], None]]()

    def moved(self) -> None:
        """Save the cursor soon, as it moved."""
        if self._timer is None:
            self._timer = self._loop.call_later(SAVE_S, self._save)

    def sync(self, synced: Callable[[Cursor], None]) -> None:
        """Sync the cursor to disk; `synced` is called with it then, not where there is none or the sync failed."""
        self._synced.append(synced)
        self._save()

    async def close(self) -> None:
        """Write the cursor a last time."""
        if self._timer:
            self._timer.cancel()
        if self._saving:
            await asyncio.wait({self._saving})
        self._synced.clear()
        await self._store()
        if self._timer:
            self._timer.cancel()

    def _save(self) -> None:
        """Begin to write the cursor; behind the write before it, where that is not finished."""
        if self._timer:
            self._timer.cancel()
        self._timer = None
        if self._saving:
            self._saving.add_done_callback(lambda _: self.moved())
            return
        self._saving = begun(self._store(), self._loop)
        self._saving.add_done_callback(self._saved)

    def _saved(self, _: object) -> None:
        self._saving = None

    async def _store(self) -> None:
        asked, self._synced = self._synced, []
        sync = bool(asked) or self._is_failing  # a disk that failed is trusted again after a sync
        try:
            cursor = await self._loop.run_in_executor(None, lambda: self._outbox.save(sync=sync))
        except OSError as error:
            self._is_failing = True
            self._table.warn("cursor_error", why=error.strerror or str(error))
            if self._timer is None:  # repeats it, even without a new acknowledgement
                self._timer = self._loop.call_later(SAVE_AGAIN_S, self._save)
            return
        if sync:
            self._is_failing = False
            self._table.unwarn("cursor_error")
        if cursor:
            for each in asked:
                each(cursor)
