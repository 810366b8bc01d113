"""How long to wait before the next attempt to reach the broker."""

import random
from collections.abc import Callable

YOUNG_S = 60.0  # an outage younger than this is retried quickly
QUICK_S = 2.0  # the longest wait in a young outage
SLOW_S = 15.0  # the longest wait later
FIRST_S = 0.1  # the longest first wait; it doubles with each attempt
STEADY_S = 30.0  # a connection that lasted this long ended its outage, whatever came of it
PATIENT_FIRST_S = 1.0  # the first wait where haste does harm; it doubles too
PATIENT_S = 60.0  # the longest wait there


class Backoff:
    """Waits with full jitter, so that a whole casino does not storm the broker that just came back.

    An outage is over when the broker has acknowledged a message, or after `STEADY_S`: being let in proves nothing.
    Times are seconds of any one monotonic clock.
    """

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self._chance = chance
        self._outage_since: float | None = None
        self._up_since: float | None = None
        self._acknowledged = False
        self._attempts = 0

    def connected(self, now: float) -> None:
        """Note that the broker let us in."""
        self._up_since, self._acknowledged = now, False

    def acknowledged(self) -> None:
        """Note that the broker acknowledged a message."""
        self._acknowledged = True

    def wait(self, now: float, *, refused: bool = False, patient: bool = False) -> float:
        """Return the seconds to wait after a failed attempt or a lost connection.

        refused: the broker refused a message or us, so what it acknowledged before ended no outage. patient: it must
        not be asked soon; half of the wait is certain.
        """
        steady = self._up_since is not None and now - self._up_since >= STEADY_S
        if steady or (self._acknowledged and not (refused or patient)):
            self._outage_since = None
        self._up_since, self._acknowledged = None, False
        if self._outage_since is None:
            self._outage_since, self._attempts = now, 0
        doubled = 2.0**self._attempts
        self._attempts = min(self._attempts + 1, 16)
        if patient:
            return (0.5 + 0.5 * self._chance()) * min(PATIENT_S, PATIENT_FIRST_S * doubled)
        longest = QUICK_S if now - self._outage_since < YOUNG_S else SLOW_S
        return self._chance() * min(longest, FIRST_S * doubled)


class Doubling:
    """A wait of `s` seconds, which is `first_s` and doubles up to `longest_s`, until `reset`."""

    def __init__(self, first_s: float, longest_s: float) -> None:
        self.s = self._first_s = first_s
        self.longest_s = longest_s

    def longer(self) -> None:
        """Be more patient the next time."""
        self.s = min(2 * self.s, self.longest_s)

    def reset(self) -> None:
        """Begin again with the first wait."""
        self.s = self._first_s
