"""Tells whether the first line after a port was opened may have lost its head."""

from collections.abc import Callable
from typing import Final

QUIET_S: Final = 0.1
"""Far longer than between two bytes of a line, an adapter's buffer (16 ms) included."""


class Opening:
    """A line whose first byte came after a quiet time is whole; nothing else shows that in text without a check sum."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._quiet_since: float | None = None  # None: bytes came since the port was opened
        self._may_be_cut = False

    def begin(self) -> None:
        """The port was opened."""
        self._quiet_since = self._clock()

    def hear(self, chunk: bytes) -> None:
        """Bytes came; none: the port was only now looked at, and what waits in it may be older."""
        if self._quiet_since is None:
            return
        now = self._clock()
        if chunk:
            self._may_be_cut = now - self._quiet_since < QUIET_S
        self._quiet_since = None if chunk else now

    def cuts(self) -> bool:
        """Whether the line that has ended now may lack its head; the next one does not."""
        may_be_cut, self._may_be_cut = self._may_be_cut, False
        return may_be_cut
