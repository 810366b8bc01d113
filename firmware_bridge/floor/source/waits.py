"""When a broker that was lost is tried again: full jitter, so that a whole floor does not storm one that came back."""

from __future__ import annotations

import random
from time import monotonic
from typing import Final

FIRST_S, SLOWEST_S, STEADY_S = 0.1, 15.0, 30.0
"""The longest wait before the second attempt, and before a late one; what a good connection lasts."""

MOST: Final = 16
"""Attempts that make a wait longer."""

SOON_S: Final = 5.0
"""A connection that ended within so many seconds ended right after the broker let us in."""

BREAKS: Final = 3
"""So many in a row, with no attempt between them that failed, are no broken broker."""


class Waits:
    """The waits between attempts to connect."""

    def __init__(self) -> None:
        self._attempts, self._breaks, self._next = 0, 0, 0.0

    @property
    def is_fought_over(self) -> bool:
        """Whether another client of our name seems to be about: each is let in, and throws the other out."""
        return self._breaks >= BREAKS

    @property
    def left_s(self) -> float:
        """How long it is until the next attempt; 0 or less where it is time."""
        return self._next - monotonic()

    def lost(self, lasted_s: float) -> None:
        """Note that a connection ended, after so long; 0 where there was none."""
        soon_s = STEADY_S if self.is_fought_over else SOON_S
        self._breaks = self._breaks + 1 if 0.0 < lasted_s < soon_s else 0
        if lasted_s > STEADY_S:
            self._attempts = 0
        self._next = monotonic() + random.random() * min(SLOWEST_S, FIRST_S * 2.0**self._attempts)
        self._attempts = min(self._attempts + 1, MOST)
