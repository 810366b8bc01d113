"""Stores how far the broker has the journal, and warns where it cannot."""

import asyncio
from typing import Final

from firmware_bridge.daemon.delivery.outbox import Outbox
from firmware_bridge.daemon.table.table import Table
from firmware_bridge.journal.cursor import Cursor

SAVE_S: Final = 0.1
"""The cursor is stored at most this often."""

SAVE_AGAIN_S: Final = 5.0
"""How soon a cursor that could not be stored is stored again."""

REMEDY: Final = "see dmesg, replace the card; until then no journal is deleted, and a restart sends messages again"


class CursorSaver:
    """Stores the outbox's cursor soon after it `moved`, until `close`; an alarm says where that fails."""

    def __init__(self, outbox: Outbox, table: Table, loop: asyncio.AbstractEventLoop) -> None:
        self._outbox, self._table, self._loop = outbox, table, loop
        self._is_failing = False
        self._timer: asyncio.TimerHandle | None = None

    def moved(self) -> None:
        """The broker acknowledged something."""
        if self._timer is None:
            self._timer = self._loop.call_later(SAVE_S, self._save)

    def synced(self) -> Cursor | None:
        """How far the broker has the journal, as a power cut would leave it; None where that is nowhere."""
        cursor = self._store(sync=True)
        self._try_again()
        return cursor

    def close(self) -> None:
        """Store it a last time."""
        if self._timer:
            self._timer.cancel()
        self._store(sync=False)

    def _save(self) -> None:
        self._timer = None
        self._store(sync=self._is_failing)  # a disk that failed is believed when it has synced
        self._try_again()

    def _try_again(self) -> None:
        """Store it later where that failed, though nothing more be acknowledged."""
        if self._is_failing and self._timer is None:
            self._timer = self._loop.call_later(SAVE_AGAIN_S, self._save)

    def _store(self, *, sync: bool) -> Cursor | None:
        try:
            cursor = self._outbox.save(sync=sync)
        except OSError as error:
            self._is_failing = True
            what = f"how far the broker has the journal cannot be stored ({error.strerror or error})"
            self._table.warn("cursor_error", what, REMEDY)
            return None
        if sync:
            self._is_failing = False
            self._table.unwarn("cursor_error")
        return cursor
