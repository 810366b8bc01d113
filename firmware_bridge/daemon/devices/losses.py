"""Count of how often a port was lost until its device is back, and a limit of how often it is lost and back."""

from collections import deque
from typing import Final

from hardware.errors import PortStalled, PortVanished

NOTED: Final = 3
WITHIN_S: Final = 60.0
"""A device that was lost `NOTED` times within `WITHIN_S` is back only after `LONG_STEADY_S`."""

STEADY_S: Final = 5.0
"""Seconds without a loss until a device is back, where its port was opened and lost again at once."""

LONG_STEADY_S: Final = 20.0

OPENED: Final = (PortVanished, PortStalled, TimeoutError)
"""Losses of a port that was open; TimeoutError: it is open, and silent."""


class Losses:
    """Losses of one device from `lost` to `back`. It is lost and back `NOTED` times and once more a minute at most."""

    def __init__(self) -> None:
        self.count = 0
        """How often its open port was lost since it was last back."""
        self._kinds = set[type[Exception]]()
        self._noted: deque[float] = deque(maxlen=NOTED)
        self._last_s = 0.0

    @property
    def is_lost(self) -> bool:
        """Whether it was lost and is not back."""
        return bool(self._kinds)

    def lost(self, kind: type[Exception], now_s: float) -> bool:
        """Count a loss; return whether it is news: the first for a reason, the 10th, the 100th .."""
        if not self.is_lost:
            self._noted.append(now_s)
        is_new = kind not in self._kinds
        self._kinds.add(kind)
        self._last_s = now_s
        if not issubclass(kind, OPENED):
            return is_new
        self.count += 1
        return is_new or str(self.count).strip("0") == "1"

    def silent(self, now_s: float) -> None:
        """Note that an open port stays silent: it is not back before it speaks."""
        self._last_s = now_s

    def may_be_back(self, now_s: float, cut_short: int) -> bool:
        """Return whether a device is back, at an open port, after `cut_short` openings that did not last."""
        steady_s = now_s - self._last_s
        if len(self._noted) == NOTED and now_s - self._noted[0] < WITHIN_S:
            return steady_s >= LONG_STEADY_S
        return steady_s >= STEADY_S or not cut_short

    def back(self) -> int:
        """Forget the losses, as the device is back; return how many they were."""
        count, self.count = self.count, 0
        self._kinds.clear()
        return count
