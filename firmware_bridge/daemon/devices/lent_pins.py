"""Lamps, keys and sensors lent to a technician, and the reader with them."""

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Final

from firmware_bridge.daemon.devices.reader import Reader
from firmware_bridge.facts.inputs import ReportNo
from hardware.errors import PinError

log = logging.getLogger(__name__)

TRY_AGAIN_S: Final = 0.5
"""A borrower that was killed may hold its pins a moment longer."""


class LentPins:
    """All pins, lent at once with the reader: no card is of a shoe until they are back. claim: raises PinError."""

    def __init__(
        self,
        reader: Reader,
        let_go: Callable[[], None],
        claim: Callable[[], None],
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._reader, self._let_go, self._claim, self._loop = reader, let_go, claim, loop
        self.is_out = False
        self._retry: asyncio.TimerHandle | None = None

    def lend(self, to: str) -> dict[str, Any]:
        """Journal that the pins are lent, then let go of reader and pins."""
        self._reader.lend(to)
        self._let_go()
        self.is_out = True
        return {}

    def passed(self, report: ReportNo) -> None:
        """No card passes a pin."""

    def take_back(self, restore: bytes | None, cut_short: bool) -> None:
        """Claim the pins again, as soon as they can be had, and take cards again."""
        if not self.is_out:
            return
        try:
            self._claim()
        except PinError as error:
            log.warning("%s", error)
            self._retry = self._loop.call_later(TRY_AGAIN_S, self.take_back, restore, cut_short)
        else:
            self.is_out = False
            self._reader.take_back(restore, cut_short)

    def close(self) -> None:
        """Take nothing back any more."""
        self.is_out = False
        if self._retry:
            self._retry.cancel()
