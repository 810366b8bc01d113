"""The parts of journals that the backend asked for again, read one after the other."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from firmware_bridge.journal.resend import Range, lines_of
from firmware_bridge.topics.event_and_round import OutMessage, messages

log = logging.getLogger(__name__)

ROOM: Final = 100
"""Parts that may wait before another order for some is refused."""


class Resends:
    """Gives the messages of the parts that were asked for, each part's in order; nothing is read before its turn."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._waiting: deque[Range] = deque()
        self._lost: deque[OutMessage] = deque()
        self._reading: Iterator[OutMessage] = iter(())

    @property
    def is_full(self) -> bool:
        """Whether so many parts wait that no more should be asked for."""
        return len(self._waiting) >= ROOM

    def add(self, part: Range) -> None:
        """Queue a part; one that waits already is sent once."""
        if part not in self._waiting:
            self._waiting.append(part)

    def again(self, lost: Iterable[OutMessage]) -> None:
        """Give these messages once more, before all others."""
        self._lost.extendleft(reversed(list(lost)))

    def next(self) -> OutMessage | None:
        """The next message, None where nothing is asked for."""
        if self._lost:
            return self._lost.popleft()
        while True:
            try:
                if message := next(self._reading, None):
                    return message
            except OSError as error:
                _left_out(error)
            if not self._waiting:
                return None
            part = self._waiting.popleft()
            self._reading = (
                message for line in lines_of(self._directory, part, _left_out) for message in messages(line)
            )


def _left_out(error: Exception) -> None:
    """Tell what is not sent; all that can be read is."""
    log.error("what the backend asked for cannot be sent again: %s", error)
