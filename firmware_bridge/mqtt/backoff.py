"""How long to wait before the next attempt to reach the broker, and whether another client of our name is there."""

import random
from collections.abc import Callable

YOUNG_S = 60.0  # an outage younger than this is retried quickly
QUICK_S = 2.0  # the longest wait in a young outage
SLOW_S = 15.0  # the longest wait later
FIRST_S = 0.1  # the longest first wait; it doubles with each attempt
STEADY_S = 30.0  # a connection that lasted this long ended its outage, whatever came of it
PATIENT_FIRST_S = 1.0  # the first wait where haste does harm; it doubles too
PATIENT_S = 60.0  # the longest wait there
SOON_S = 5.0  # a connection that broke within so many seconds broke right after it was let in
BREAKS = 3  # so many in a row, with no attempt that failed between them, are no broken broker
FORGOTTEN_S = 150.0  # a namesake that was not heard of for so long is gone: longer than the longest wait of either


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


class ClientIdConflict:
    """Detects another client of our name, as the broker throws out each in turn: MQTT 5 says so, 3.1.1 lets guess.

    Times are seconds of any one monotonic clock.
    """

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

    def broke(self, now: float, *, is_stated: bool = False) -> bool:
        """The other side ended the connection; whether a namesake did it. told: the broker says so."""
        lasted = 0.0 if self._up_since is None else now - self._up_since
        self._up_since = None
        self._breaks = self._breaks + 1 if lasted < (FORGOTTEN_S if self.is_about(now) else SOON_S) else 0
        if is_stated or self._breaks >= BREAKS:
            self._seen = now
            return True
        return False

    def is_about(self, now: float) -> bool:
        """Whether a namesake was noticed not long ago."""
        return self._seen is not None and now - self._seen < FORGOTTEN_S
