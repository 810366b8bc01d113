"""When to ask a table for what is missing; no clock."""

from collections.abc import Iterable
from math import inf
from typing import Final

from firmware_bridge.facts.orders import Resend
from firmware_bridge.mqtt.backoff import Doubling

LONGEST_ASK_S: Final = 300.0
"""Longest wait before a gap is asked for again; the wait doubles from the receiver's `wait_s`."""

EVER: Final = "1970-01-01T00:00:00Z"
"""A time before every entry."""

QUIET: Final = 30
"""Waits of `wait_s` without a round after which the end is asked for: 5 minutes at 10 s."""

TRIES: Final = 3
"""Most orders for one end while none is answered."""

Link = tuple[str, int]
"""A connection of a table: its `boot`, and `link`, the number of its connections since that boot."""


class Retry:
    """Schedule of one question: `wait_s` after something was missed, then after twice as long, up to `longest_s`.

    Times are seconds of any one monotonic clock. at: when to ask next; None if nothing was missed yet.
    """

    def __init__(self, wait_s: float, longest_s: float) -> None:
        self.at: float | None = None
        self.wait = Doubling(wait_s, longest_s)

    def is_due(self, now: float) -> bool:
        """Return whether to ask now; if so, schedule the next time."""
        if self.at is None:
            self.at = now + self.wait.s
        if now < self.at:
            return False
        self.wait.longer()
        self.at = now + self.wait.s
        return True

    def reset(self) -> None:
        """Start again, because something came."""
        self.at = None
        self.wait.reset()


class Gaps:
    """The gaps of one table. wait_s: how long one may close by itself before it is asked for."""

    def __init__(self, wait_s: float) -> None:
        self._wait_s = wait_s
        self._of: dict[tuple[str | None, int | None], Retry] = {}

    @property
    def at(self) -> float | None:
        """When to ask for a gap next; None without a gap."""
        return min((each.at for each in self._of.values() if each.at is not None), default=None)

    def due(self, gaps: Iterable[Resend], now: float) -> list[Resend]:
        """Return the gaps to ask for now. gaps: all that are open now."""
        now_open = {(gap.journal, gap.to): gap for gap in gaps}
        self._of = {key: self._of.get(key) or Retry(self._wait_s, LONGEST_ASK_S) for key in now_open}
        return [gap for key, gap in now_open.items() if self._of[key].is_due(now)]


class Tail:
    """When to ask for the end of one table's journal: after each reconnect, and after a round when the table is quiet.

    The table journals its answer to each order, so each order makes its journal longer: new entries behind an answer
    are no reason to ask. Times are seconds of any one monotonic clock; at: when to ask, None for not yet.
    """

    def __init__(self, wait_s: float) -> None:
        self.at: float | None = None
        self._wait_s = wait_s
        self._link: Link | None = None
        self._soon, self._left = False, 0
        self._again = Doubling(2 * wait_s, inf)
        self._order: Resend | None = None

    def connected(self) -> None:
        """Handle each reconnect: the broker may have lost what it kept for us."""
        self._link = None

    def status(self, link: Link, now: float) -> None:
        """Handle a `status`. After a reconnect, ours or the table's, something may have been lost."""
        if link != self._link:
            self._link = link
            self.dropped(now)
        elif self.at is None and self._left:
            self.at = now + self._wait_s * QUIET

    def dropped(self, now: float) -> None:
        """Ask soon, because a message was dropped."""
        self._soon = True
        self.came(now)

    def came(self, now: float) -> None:
        """Ask later for what may be lost behind a round that came."""
        self._left = TRIES
        self._again.reset()
        self.at = now + self._wait_s * (1 if self._soon else QUIET)

    def order(self, end: Resend | None, now: float) -> Resend | None:
        """Return the order to send now, None for none; repeated without an answer, with growing waits.

        end: what the table has behind the last round that came.
        """
        if self.at is None or self.at > now:
            return None
        self._soon, self.at, self._order = False, None, end
        if end is not None:
            self._left -= 1
            self.at = now + self._again.s if self._left else None
            self._again.longer()
        return end

    def answered(self, order: Resend) -> None:
        """Stop asking, because the table answered this order."""
        if order == self._order:
            self._soon, self._left, self.at = False, 0, None
