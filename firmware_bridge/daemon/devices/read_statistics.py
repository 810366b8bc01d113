"""How well the reader reads, and when it will not any more: statistics of reads, and their trend."""

from __future__ import annotations

from collections import deque
from math import sqrt
from statistics import fmean
from typing import Final, NamedTuple

BLOCK: Final = 52
"""Reads whose qualities make one mean: a pack, so a shoe of eight decks has eight blocks."""

BLOCKS: Final = 64
"""Means kept: eight shoes of eight decks."""

ENOUGH_BLOCKS: Final = 8
"""Means before a trend is believed."""

SURE: Final = 4.0
"""Standard errors that a fall must have: chance passes it less than once in ten thousand looks."""

FAR_SHOES: Final = 10.0
"""Shoes beyond which no failure is foretold."""

MARGIN_SD: Final = 2.0
"""Reads fail one by one before their mean reaches the limit."""


class Trend(NamedTuple):
    """A line through means: `level` at the last of them, `fall` per block (positive: falling) and its `error`."""

    level: float
    fall: float
    error: float


class ReadStatistics:
    """Counts reads of this run of the daemon; qualities 0..255, as far as the reader tells them."""

    def __init__(self) -> None:
        self.reads = 0
        self.unread = 0
        self.means: deque[float] = deque(maxlen=BLOCKS)
        self._block: list[int] = []
        self._recent: deque[int] = deque(maxlen=BLOCK)

    def read(self, quality: int | None) -> None:
        """A card was read."""
        self.reads += 1
        if quality is None:
            return
        self._recent.append(quality)
        self._block.append(quality)
        if len(self._block) == BLOCK:
            self.means.append(fmean(self._block))
            self._block.clear()

    def failed(self) -> None:
        """A card passed and was not read."""
        self.unread += 1

    @property
    def quality(self) -> float | None:
        """The mean quality of the last reads."""
        return fmean(self._recent) if self._recent else None


def trend(means: deque[float] | list[float]) -> Trend | None:
    """The straight line that fits best, None for too few means."""
    count = len(means)
    if count < ENOUGH_BLOCKS:
        return None
    middle, mean = (count - 1) / 2, fmean(means)
    spread = sum((n - middle) ** 2 for n in range(count))
    slope = sum((n - middle) * (each - mean) for n, each in enumerate(means)) / spread
    rest = sum((each - mean - slope * (n - middle)) ** 2 for n, each in enumerate(means))
    return Trend(mean + slope * middle, -slope, sqrt(rest / (count - 2) / spread))


def shoes_left(means: deque[float] | list[float], limit: float, sd: float, decks: int) -> float | None:
    """After how many shoes reads begin to fail, None where no fall is sure or the end is far.

    limit: the quality below which the reader calls a card unreadable. sd: of single reads, as calibrated.
    """
    line = trend(means)
    if line is None or line.fall <= SURE * line.error or line.fall <= 0:
        return None
    left = (line.level - limit - MARGIN_SD * sd) / line.fall / decks
    return max(left, 0.0) if left < FAR_SHOES else None


def advice(left: float | None) -> str | None:
    """The advice to a technician, in words."""
    if left is None:
        return None
    if left < 1:
        return "clean the optics before the next shoe, then calibrate"
    return f"clean the optics within about {round(left)} shoe{'s' * (round(left) != 1)}"
