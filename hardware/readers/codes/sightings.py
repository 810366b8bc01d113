"""Tells one card seen twice from two cards, where a reader gives nothing but codes."""

from collections.abc import Callable


class Sightings:
    """The same code within `hold` seconds of its last sighting is the same card; 0: never.

    `keeps`: of how many codes the last sighting is remembered. 1 where two cards may have the same code, so that
    another code in between means another card; more where each card has a code of its own.
    """

    def __init__(self, hold: float, clock: Callable[[], float], keeps: int = 1) -> None:
        self._hold = hold
        self._clock = clock
        self._keeps = keeps
        self._seen: dict[str, float] = {}

    def again(self, code: str) -> bool:
        """Whether this sighting of `code` is of a card seen before."""
        now = self._clock()
        before = self._seen.pop(code, None)
        self._seen[code] = now
        if len(self._seen) > self._keeps:
            del self._seen[next(iter(self._seen))]
        return before is not None and now - before < self._hold
