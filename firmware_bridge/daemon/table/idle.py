"""What is done for the journal while no card comes, so that the next card need not wait for it."""

from __future__ import annotations

import asyncio
from typing import Final

from firmware_bridge.journal.journal import Journal

IDLE_S: Final = 0.005
"""A table where nothing was journaled for so long is idle: cards read at once come closer together."""


class Idle:
    """Prepares a journal step by step, each time it was appended to and then left alone for `IDLE_S`."""

    def __init__(self, journal: Journal, loop: asyncio.AbstractEventLoop) -> None:
        self._journal, self._loop = journal, loop
        self._timer: asyncio.TimerHandle | None = None
        self._is_dealing, self._last = False, 0.0

    def appended(self, is_dealing: bool) -> None:
        """An entry is on disk. is_dealing: more cards are to come into this journal."""
        self._is_dealing, self._last = is_dealing, self._loop.time()
        if self._timer is None and self._journal.wants_preparing(is_dealing):
            self._timer = self._loop.call_later(IDLE_S, self._step)

    def stop(self) -> None:
        """Prepare nothing more."""
        if self._timer:
            self._timer.cancel()
        self._timer = None

    def _step(self) -> None:
        self._timer = None
        if self._loop.time() >= self._last + IDLE_S:
            self._journal.prepare(self._is_dealing)
        if self._journal.wants_preparing(self._is_dealing):
            self._timer = self._loop.call_later(IDLE_S, self._step)
