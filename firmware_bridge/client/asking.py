"""When a table is asked for what is missing: for a gap later and later, for the end of its journal seldom."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from itertools import count
from typing import Final

from msgspec import Struct

from firmware_bridge.client.items import Told
from firmware_bridge.facts.orders import Resend

LONGEST_ASK_S: Final = 300.0
"""The longest wait before a gap is asked for again; it doubles from the reader's own wait."""

QUIET: Final = 30
"""Waits without a round after which the end is asked for: of 10 s each, they are 5 minutes."""

TRIES: Final = 3
"""Orders at most, as long as none is answered."""

MOST_AWAITED: Final = 10_000
"""Orders whose answers are awaited at most; the oldest are given up."""

Link = tuple[str, int]
"""A connection of the table: its `boot`, and `link`, the number of the connection since."""


class Given:
    """The orders that were given and not answered. Their ids begin with 16 random hex digits of this run."""

    def __init__(self) -> None:
        self._run, self._count = secrets.token_hex(8), count(1)
        self._awaited: dict[str, Told] = {}

    def told(self, table: str, gap: Resend) -> Told:
        """An order for what is missing, under an id of its own."""
        told = Told(table, gap, f"{self._run}-{next(self._count)}")
        self._awaited[told.id] = told
        while len(self._awaited) > MOST_AWAITED:
            del self._awaited[next(iter(self._awaited))]
        return told

    def answered(self, id: str | None) -> Told | None:
        """The order that an answer is to, None where it is another one's."""
        return self._awaited.pop(id or "", None)


class _Gap(Struct):
    due: float
    asked: int = 0


class Gaps:
    """The gaps of one table. wait_s: how long one may close by itself before it is asked for."""

    def __init__(self, wait_s: float) -> None:
        self._wait_s = wait_s
        self._of: dict[tuple[str | None, int | None], _Gap] = {}

    @property
    def at(self) -> float | None:
        """When one is to be asked for next, None where there is none."""
        return min((each.due for each in self._of.values()), default=None)

    def due(self, gaps: Iterable[Resend], now: float) -> list[Resend]:
        """Those that did not close by themselves in time. gaps: all that are open now."""
        now_open = {(gap.journal, gap.to): gap for gap in gaps}
        self._of = {key: self._of.get(key) or _Gap(now + self._wait_s) for key in now_open}
        due = [(key, gap) for key, gap in self._of.items() if gap.due <= now]
        for _, gap in due:
            gap.asked += 1
            gap.due = now + min(LONGEST_ASK_S, self._wait_s * 2.0 ** min(gap.asked, 16))
        return [now_open[key] for key, _ in due]


class Tail:
    """The end of one table's journal: asked for once after each connection, and once after a round, if it is quiet.

    The table journals its answer to each order, so that its journal grows by being asked: what is new behind an
    answer is no reason to ask. Times are seconds of any one monotonic clock; at: when to ask, None for not yet.
    """

    def __init__(self, wait_s: float) -> None:
        self.at: float | None = None
        self._wait_s = wait_s
        self._link: Link | None = None
        self._soon, self._left = False, 0
        self._order: Resend | None = None

    def connected(self) -> None:
        """The broker let us in anew: what it was to keep for us may be gone."""
        self._link = None

    def said(self, link: Link, now: float) -> None:
        """The table says how far it is. On a new connection, ours or its own, something may have been lost."""
        if link != self._link:
            self._link = link
            self.dropped(now)
        elif self.at is None and self._left:
            self.at = now + self._wait_s * QUIET

    def dropped(self, now: float) -> None:
        """Something was let go of, and is to be asked for soon."""
        self._soon = True
        self.came(now)

    def came(self, now: float) -> None:
        """A round came: one behind it may be lost."""
        self._left = TRIES
        self.at = now + self._wait_s * (1 if self._soon else QUIET)

    def order(self, end: Resend | None, now: float) -> Resend | None:
        """What to ask for now, None for nothing. end: what the table has behind the last round that came.

        Without an answer it is asked for again, later and later.
        """
        if self.at is None or self.at > now:
            return None
        self._soon, self.at, self._order = False, None, end
        if end is not None:
            self._left -= 1
            self.at = now + self._wait_s * 2.0 ** (TRIES - self._left) if self._left else None
        return end

    def answered(self, order: Resend) -> None:
        """The table sends what it was asked for."""
        if order == self._order:
            self._soon, self._left, self.at = False, 0, None
