"""Lamps, keys and sensors lent to a technician; no card is taken meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

from firmware_bridge.facts.inputs import Mark
from firmware_bridge.wiring.reader import Reader
from hardware.errors import PinError

log = logging.getLogger(__name__)

TRY_AGAIN_S: Final = 0.5
"""A borrower that was killed may hold its pins a moment longer."""


class PinsOnLoan:
    """Lends all pins at once. let_go, claim: the bridge's; claim raises PinError.

    Without lamps nobody is guided and without a cut-card sensor nobody may deal, so the reader rests too.
    """

    def __init__(
        self,
        reader: Reader,
        let_go: Callable[[], None],
        claim: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._reader, self._let_go, self._claim, self._loop = reader, let_go, claim, loop
        self._lent = False
        self._retry: asyncio.TimerHandle | None = None

    def lend(self, to: str) -> dict[str, Any]:
        """Put the loan on record, then let go of the pins."""
        self._reader.pause(f"lamps, keys and sensors are lent to {to} for calibration")
        self._let_go()
        self._lent = True
        return {}

    def passed(self, mark: Mark) -> None:
        """No card passes a pin."""

    def take_back(self, will: bytes = b"") -> None:
        """Claim the pins again, as soon as they can be had, and take cards again."""
        if not self._lent:
            return
        try:
            self._claim()
        except PinError as error:
            log.warning("%s", error)
            self._retry = self._loop.call_later(TRY_AGAIN_S, self.take_back)
        else:
            self._lent = False
            self._reader.go_on()

    def close(self) -> None:
        """Take nothing back any more."""
        self._lent = False
        if self._retry:
            self._retry.cancel()
