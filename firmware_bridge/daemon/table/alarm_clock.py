"""The moment the shoe waits for, on the loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from firmware_bridge.daemon.table.stamps import now

ASK_AGAIN_S: Final = 1.0
"""How soon a moment that has passed becomes an input again if the shoe still waits for it."""


class AlarmClock:
    """Calls `ring` once when the moment comes that it was set to last."""

    def __init__(self, ring: Callable[[], None], loop: asyncio.AbstractEventLoop) -> None:
        self._call, self._loop = ring, loop
        self._timer: asyncio.TimerHandle | None = None
        self._set_to: int | None = None

    def set(self, moment: int | None) -> None:
        """Ring at this moment (ms of the loop's clock) and at no other; None: not at all."""
        if moment == self._set_to:
            return
        self.stop()
        self._set_to = moment
        if moment is not None:
            is_past = moment <= now()["mono"]  # it was an input before, and not judged: not again at once
            self._timer = self._loop.call_at(self._loop.time() + ASK_AGAIN_S if is_past else moment / 1000, self._ring)

    def stop(self) -> None:
        """Ring no more."""
        if self._timer:
            self._timer.cancel()
        self._timer = self._set_to = None

    def _ring(self) -> None:
        self._timer = self._set_to = None
        self._call()
