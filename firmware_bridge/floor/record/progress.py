"""How far one journal is kept, and when to ask its table for what is missing of it."""

from math import inf
from typing import Final, NamedTuple

from firmware_bridge.client.asking import Retry
from firmware_bridge.client.ledger import Entries
from firmware_bridge.floor.record.message import EVENT, Key, Row, makes_round

SETTLE_S: Final = 5.0
"""Time for a gap to close by itself before it is asked for."""

SPAN: Final = 50
"""Most entries of one order."""

LONGEST_S: Final = 600.0
"""Longest wait between two orders for the same gap; it doubles from twice `SETTLE_S`."""

ONLINE_S: Final = 30.0
"""The same of a table that is connected and refuses none of them: order or answer were late, or lost."""

ALL: Final = 10
"""Entries that an order for all since a time counts for; how many it brings is not known before."""


class Progress(NamedTuple):
    """How far a journal is kept: complete up to the entry `whole`, known to have entries up to `known`.

    shoe: of its newest message, 0 without one; an older journal has a lower number. since: the RFC 3339 time since
    which the table must still be asked for messages before this journal; "" once it has answered. closed_to: complete
    up to this entry but for what a person closed; 0 if nothing was closed.

    tail, tail_from: the journal before, and the first entry that it may have beside those known: asked for in place of
    all since that time, as the rest of that is in this journal; "" where another journal may be between them.
    """

    key: Key
    shoe: int
    whole: int
    known: int
    since: str = ""
    closed_to: int = 0
    tail: str = ""
    tail_from: int = 0


class Journal(Entries):
    """One journal in the store, and when to ask its table for what is missing.

    retry: when to ask for missing entries. since, earlier: the time since which all must be asked for, and when to ask.
    tail: `tail` and `tail_from` of its progress, None for none.
    is_refused: whether the table refused the last order for entries.
    """

    def __init__(self, saved: Progress) -> None:
        super().__init__(saved.whole, saved.known)
        self.saved, self.shoe, self.since, self.closed_to = saved, saved.shoe, saved.since, saved.closed_to
        self.tail = (saved.tail, saved.tail_from) if saved.tail else None
        self.retry, self.earlier = Retry(SETTLE_S, LONGEST_S), Retry(SETTLE_S, LONGEST_S)
        self.is_refused = False
        self._part, self._reached, self._in_turn = range(0), 0, False
        self._asked_s: float | None = None
        self.since_s = -inf

    def add(self, row: Row) -> None:
        """Add a message; a repeat changes nothing."""
        self.shoe = max(self.shoe, row.shoe)
        if self.has(row.seq):
            return
        before = self.settled
        if row.topic == EVENT:
            self.event(row.seq, row.n, row.of, has_round=makes_round(row))
        else:
            self.round(row.seq, row.n)
        self._go_on()
        if self.settled > before or (row.seq in self._part and self.has(row.seq)):
            self.retry.reset()
            self._in_turn = False

    @property
    def progress(self) -> Progress:
        """How far the journal is kept."""
        tail = self.tail if self.since and self.tail else ("", 0)
        return Progress(self.saved.key, self.shoe, self.whole, self.known, self.since, self.closed_to, *tail)

    @property
    def settled(self) -> int:
        """The entry up to which nothing is missing but what was closed."""
        return max(self.whole, self.closed_to)

    @property
    def lacks(self) -> bool:
        """Whether an entry is missing that was not closed."""
        return self.settled < self.known

    def close(self, to: int, *, answers: bool) -> None:
        """Ask no more for what is missing up to an entry. answers: also not for what came before the journal."""
        self.reach(to)
        if to > self.settled:
            self.closed_to = to
            self.retry.reset()
            self._go_on()
        if answers:
            self.since = ""

    def count(self) -> int:
        """Return how many entries are missing that were not closed."""
        return sum(max(0, gap.stop - max(gap.start, self.settled + 1)) for gap in self.gaps())

    @property
    def busy(self) -> bool:
        """Whether something is missing, unsaved or not asked for yet."""
        return self.lacks or self.progress != self.saved or bool(self.since)

    def missing(self) -> range:
        """Return the entries to ask for now: the first missing ones, and if these do not come, by turns later ones.

        An entry that its table cannot read never comes: the missing entries behind it must not wait for it.
        """
        self._part = first = self.span(self.settled + 1, SPAN)
        if self._in_turn:
            behind = max(self._reached + 1, first.stop)
            self._part = self.span(behind, SPAN) or self.span(first.stop, SPAN) or first
            self._reached = self._part.stop - 1
        self._in_turn = not self._in_turn
        return self._part

    def outcome(self, now: float) -> int:
        """Return how many entries came of the last order once all did, then the next is due; -1 where they are late."""
        if self._asked_s is None:
            return 0
        if not self._left():
            self._asked_s, self.is_refused = None, False
            self.retry.reset()
            self.retry.at = now
            return len(self._part)
        if now - self._asked_s < ONLINE_S:
            return 0
        self._asked_s = None
        return 0 if self.is_refused else -1

    def is_due(self, now: float, longest_s: float) -> bool:
        """Return whether to ask for missing entries now."""
        wait = self.retry.wait
        wait.longest_s = LONGEST_S if self.is_refused else longest_s
        wait.s = min(wait.s, wait.longest_s)
        if not self.retry.is_due(now):
            return False
        self._asked_s = now
        return True

    def hurry(self, now: float) -> None:
        """Ask now for what is missing, unless it was asked for just now, or refused."""
        is_asked = self._asked_s is not None and now - self._asked_s < SETTLE_S
        if not is_asked and not self.is_refused and self.retry.wait.s > SETTLE_S:
            self.retry.reset()
            self.retry.at = now

    def open(self, now: float) -> int:
        """Return how many entries are asked for and may still come."""
        since = ALL if self.since and now - self.since_s < ONLINE_S else 0
        return since + (0 if self._asked_s is None else self._left())

    @property
    def is_asked(self) -> bool:
        """Whether the table was asked for all since a time."""
        return self.earlier.wait.s > SETTLE_S

    @property
    def is_held(self) -> bool:
        """Whether the answer to the first order for all since a time may bring what is missing."""
        return bool(self.since) and not self.is_refused and self.earlier.wait.s <= 2 * SETTLE_S

    def connected(self) -> None:
        """Ask soon again, as the table has another connection."""
        self.retry.reset()
        if self.earlier.wait.s > ONLINE_S:
            self.earlier.reset()

    def _left(self) -> int:
        """Return how many of the entries that were asked for last have not come."""
        return sum(seq > self.settled and not self.has(seq) for seq in self._part)

    def _go_on(self) -> None:
        """Count on from the last closed entry."""
        if self.closed_to > self.whole:
            while self.has(self.closed_to + 1):
                self.closed_to += 1
