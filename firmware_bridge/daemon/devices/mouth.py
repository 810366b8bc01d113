"""The presence sensor in the shoe's mouth: a card that passes there and is reported by nobody was missed."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final

from hardware.readers import messages

EXPLAINED_WITHIN_S: Final = 1.5
"""A report comes so long before its card is seen entering, or after it is seen leaving: slow lines, slow hands."""


class Mouth:
    """Pairs cards that leave with reports. on_missed: called once for each card that stays without a report.

    reader_answers: whether a report can come at all now; without a reader the absence of one is no news.
    """

    def __init__(
        self, reader_answers: Callable[[], bool], on_missed: Callable[[], None], loop: asyncio.AbstractEventLoop
    ) -> None:
        self._reader_answers, self._on_missed, self._loop = reader_answers, on_missed, loop
        self._reports: deque[float] = deque(maxlen=64)
        self._entered: float | None = None

    def heard(self, message: messages.Message) -> None:
        """Take a message of the reader; only a card's counts as a report."""
        match message:
            case messages.Read() | messages.Unread(concerns="card") | messages.CutCard():
                self.reported()

    def reported(self) -> None:
        """Count a report: of a card, read or not, or of the cut card."""
        self._reports.append(self._loop.time())

    def entered(self) -> None:
        """A card is in the mouth, for as long as the dealer likes."""
        self._entered = self._loop.time()

    def left(self) -> None:
        """A card has left the mouth."""
        since = self._loop.time() if self._entered is None else self._entered
        self._entered = None
        if self._reader_answers():
            self._loop.call_later(EXPLAINED_WITHIN_S, self._look_for, since - EXPLAINED_WITHIN_S)

    def _look_for(self, since: float) -> None:
        while self._reports and self._reports[0] < since:
            self._reports.popleft()
        if self._reports:
            self._reports.popleft()
        elif self._reader_answers():
            self._on_missed()
