"""How long to wait before the next attempt to reach the broker."""

import random
from collections.abc import Callable

YOUNG_S = 60.0  # an outage younger than this is retried quickly
QUICK_S = 2.0  # the longest wait in a young outage
SLOW_S = 15.0  # the longest wait later
FIRST_S = 0.1  # the longest first wait; it doubles with each attempt
STEADY_S = 1.0  # a connection that lasted this long ended its outage
STEADY_AFTER_REFUSAL_S = 60.0  # one that the broker ended by refusing us must have lasted this long


class Backoff:
    """Waits with full jitter, so that a whole casino does not storm the broker that just came back.

    Times are seconds of any one monotonic clock.
    """

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self._chance = chance
        self._outage_since: float | None = None
        self._up_since: float | None = None
        self._attempts = 0

    def connected(self, now: float) -> None:
        """Note that the broker accepted a connection."""
        self._up_since = now

    def wait(self, now: float, *, refused: bool = False) -> float:
        """Return the seconds to wait after a failed attempt or a lost connection."""
        steady = STEADY_AFTER_REFUSAL_S if refused else STEADY_S
        if self._up_since is not None and now - self._up_since >= steady:
            self._outage_since = None
        self._up_since = None
        if self._outage_since is None:
            self._outage_since, self._attempts = now, 0
        longest = QUICK_S if now - self._outage_since < YOUNG_S else SLOW_S
        wait = self._chance() * min(longest, FIRST_S * 2.0**self._attempts)
        self._attempts = min(self._attempts + 1, 16)
        return wait
