"""Finds out that another client of the broker has our name: the broker then throws out each in turn."""

from typing import Final

SOON_S: Final = 5.0
"""A connection that broke within so many seconds broke right after it was let in."""

BREAKS: Final = 3
"""So many in a row, with no attempt that failed between them, are no broken broker."""

FORGOTTEN_S: Final = 150.0
"""A namesake that was not heard of for so long is gone: longer than the longest wait of either."""


class Namesake:
    """Times are seconds of any one monotonic clock. MQTT 5 tells of a namesake; under 3.1.1 it is a guess."""

    def __init__(self) -> None:
        self._up_since: float | None = None
        self._breaks = 0
        self._seen: float | None = None

    def connected(self, now: float) -> None:
        """The broker let us in."""
        self._up_since = now

    def kept_out(self) -> None:
        """An attempt failed, or a connection ended for a reason of its own: two of one name are both let in."""
        self._up_since, self._breaks = None, 0

    def broke(self, now: float, *, told: bool = False) -> bool:
        """The other side ended the connection; whether a namesake did it. told: the broker says so."""
        lasted = 0.0 if self._up_since is None else now - self._up_since
        self._up_since = None
        self._breaks = self._breaks + 1 if lasted < (FORGOTTEN_S if self.is_about(now) else SOON_S) else 0
        if told or self._breaks >= BREAKS:
            self._seen = now
            return True
        return False

    def is_about(self, now: float) -> bool:
        """Whether a namesake was noticed not long ago."""
        return self._seen is not None and now - self._seen < FORGOTTEN_S
