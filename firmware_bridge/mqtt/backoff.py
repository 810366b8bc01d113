"""Waits before the next attempt to reach the broker, and guesses why it ends connections without a reason."""

import random
from collections.abc import Callable

from firmware_bridge.mqtt.settings import Moment

YOUNG_S = 60.0  # an outage younger than this is retried quickly
QUICK_S = 2.0  # the longest wait in a young outage
SLOW_S = 15.0  # the longest wait later
FIRST_S = 0.1  # the longest first wait; it doubles with each attempt
STEADY_S = 30.0  # a connection that lasted this long ended its outage, whatever came of it
PATIENT_FIRST_S = 1.0  # the first wait where haste does harm; it doubles too
PATIENT_S = 60.0  # the longest wait there
SOON_S = 5.0  # a connection that broke within so many seconds broke right after it was accepted
BREAKS = 3  # so many in a row, with no failed attempt between them, are worth a guess
LOST_S = 300.0  # a connection on which nothing is acknowledged for so long brings no more; doubled at each loss
LONGEST_LOST_S = 3600.0
FORGOTTEN_S = 150.0  # what was not seen for so long is over: longer than the longest wait of either client


def is_lately(at: float | None, now: float) -> bool:
    """Return whether what a connection ended for at a time counts still; False for None."""
    return at is not None and now - at < FORGOTTEN_S


class Backoff:
    """Waits with full jitter, so that a whole casino does not storm the broker that just came back.

    An outage is over when the broker has acknowledged a message, or after `STEADY_S`: a CONNACK proves nothing.
    Times are seconds of any one monotonic clock.
    """

    def __init__(self, chance: Callable[[], float] = random.random) -> None:
        self._chance = chance
        self._outage_since: float | None = None
        self._up_since: float | None = None
        self._acknowledged = False
        self._attempts = 0

    def connected(self, now: float) -> None:
        """Note that the broker accepts a connection."""
        self._up_since, self._acknowledged = now, False

    def acknowledged(self) -> None:
        """Note that the broker acknowledges a message."""
        self._acknowledged = True

    def wait(self, now: float, *, refused: bool = False, patient: bool = False) -> float:
        """Return the seconds to wait after a failed attempt or a lost connection.

        refused: the broker refused a message or the login, so its acknowledgements ended no outage. patient: it must
        not be asked soon; at least half of the longest wait.
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
        """Double the wait."""
        self.s = min(2 * self.s, self.longest_s)

    def reset(self) -> None:
        """Set the first wait again."""
        self.s = self._first_s


class RoundTrip:
    """A wait of `s` seconds for an answer, from how long answers took before: RFC 6298, by one sample at a time.

    `longer` doubles it after a silence, up to `longest_s`; it stays so until the next sample (Karn's algorithm: only
    what was sent once is timed). first_s: the wait without samples, and the shortest. usual_s: the longest of samples.
    """

    def __init__(self, first_s: float, usual_s: float, longest_s: float) -> None:
        self.s = self._usual_s = self._first_s = first_s
        self._most_s, self._longest_s = usual_s, longest_s
        self._mean_s: float | None = None
        self._off_s = 0.0

    def took(self, seconds: float) -> None:
        """Count an answer that came after so many seconds."""
        if self._mean_s is None:
            self._mean_s, self._off_s = seconds, seconds / 2
        else:
            self._off_s += (abs(seconds - self._mean_s) - self._off_s) / 4
            self._mean_s += (seconds - self._mean_s) / 8
        self.s = self._usual_s = min(max(self._mean_s + 4 * self._off_s, self._first_s), self._most_s)

    def longer(self) -> None:
        """Double the wait."""
        self.s = min(2 * self.s, self._longest_s)

    def reset(self) -> None:
        """Set the wait that answers took before."""
        self.s = self._usual_s


class SilentEnds:
    """Counts connections that the other side ends without a reason, to guess one.

    Two clients of one client id are disconnected in turn: MQTT 5 says so, 3.1.1 does not. A broker that takes a
    subscription or a message for an attack closes at that moment, each time. Times are seconds of any one clock.
    """

    def __init__(self) -> None:
        self._up_since: float | None = None
        self._moments: list[Moment | None] = []
        self._conflict: float | None = None

    def connected(self, now: float) -> None:
        """Note that the broker accepts a connection."""
        self._up_since = now

    def kept_out(self) -> None:
        """Note that an attempt fails or that a connection ends for another reason: in a conflict both are accepted."""
        self._up_since = self._conflict = None
        self._moments.clear()

    def taken_over(self, now: float) -> None:
        """Note what the broker says: another client uses the client id."""
        self._up_since, self._conflict = None, now

    def broke(self, now: float, moment: Moment | None = None) -> bool:
        """Note the end of a connection; return whether there are enough for a guess. moment: what it awaited."""
        lasted = 0.0 if self._up_since is None else now - self._up_since
        self._up_since = None
        if lasted >= (FORGOTTEN_S if self.is_conflict(now) else SOON_S):
            self._moments.clear()
            return False
        self._moments = [*self._moments, moment][-BREAKS:]
        if len(self._moments) < BREAKS:
            return False
        self._conflict = now if self.moment is None else None
        return True

    @property
    def moment(self) -> Moment | None:
        """What the last ends all came at, whatever its size; None where they differ, or nothing was awaited."""
        kinds = {each and (each.topic, each.size > 0) for each in self._moments}
        return self._moments[-1] if len(kinds) == 1 else None

    def is_conflict(self, now: float) -> bool:
        """Return whether two clients of one client id were noticed, or guessed, in the last `FORGOTTEN_S` seconds."""
        return is_lately(self._conflict, now)
