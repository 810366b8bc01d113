"""Lines of log about what anybody can send without end: one a minute at most, each with how often it was by then."""

from collections.abc import Callable
from math import inf
from time import monotonic
from typing import Final

QUIET_S: Final = 60.0
"""Seconds between two lines."""


class Seldom:
    """Says a text, with a count of all, at most every `QUIET_S`. say: writes a line. clock: seconds, monotonic."""

    def __init__(self, say: Callable[[str], object], clock: Callable[[], float] = monotonic) -> None:
        self._say, self._clock = say, clock
        self.count, self._next = 0, -inf

    def add(self, text: str, count: int = 1) -> None:
        """Count something, and say it unless a line was written just now."""
        self.count += count
        if self._clock() >= self._next:
            self._next = self._clock() + QUIET_S
            self._say(f"{text} (so far: {self.count})")
