"""Tells one card seen twice from two cards, where a reader gives nothing but codes."""

from collections.abc import Callable


class Sightings:
    """The same code within `hold` seconds of its last sighting is the same card; 0: never."""

    def __init__(self, hold: float, clock: Callable[[], float]) -> None:
        self._hold = hold
        self._clock = clock
        self._last: tuple[str, float] | None = None

    def again(self, code: str) -> bool:
        """Whether this sighting of `code` is of the card seen last."""
        now = self._clock()
        again = self._last is not None and self._last[0] == code and now - self._last[1] < self._hold
        self._last = (code, now)
        return again
