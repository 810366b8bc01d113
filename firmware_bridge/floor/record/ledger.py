"""Counts which entries of which journals are complete, and what to ask a table for."""

from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Final, NamedTuple

from firmware_bridge.client.asking import EVER, Link, Retry
from firmware_bridge.client.ledger import Entries
from firmware_bridge.facts.orders import Resend
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

LEAST, MOST = 250, 2_000
"""Entries that may be asked for and on the way: few at first, more as they come, fewer where they are late.

Repeats must leave room for new messages, and what seems to be missing may wait in the broker's queue.
"""

REFUSED_S: Final = 6 * 3600.0
"""Longest wait after a table refused an order for all since a time: each time it sends what it can read of that."""


class Progress(NamedTuple):
    """How far a journal is kept: complete up to the entry `whole`, known to have entries up to `known`.

    shoe: of its newest message, 0 without one; an older journal has a lower number. since: the RFC 3339 time since
    which the table must still be asked for messages before this journal; "" once it has answered. closed_to: complete
    up to this entry but for what a person closed; 0 if nothing was closed.
    """

    key: Key
    shoe: int
    whole: int
    known: int
    since: str = ""
    closed_to: int = 0


class Previous(NamedTuple):
    """The newest journal of a table before another: its shoe, and the time of its last stored event."""

    shoe: int
    at: str


class Loaded(NamedTuple):
    """A journal in the store: its progress, and its messages behind the entry `whole`.

    previous: the newest other journal of the table if this one is unknown, else None.
    """

    progress: Progress
    rows: Iterable[Row]
    previous: Previous | None = None


class Ask(NamedTuple):
    """An order for what is missing, and its table."""

    table: str
    order: Resend


class _Journal(Entries):
    """One journal in the store, and when to ask its table for what is missing.

    retry: when to ask for missing entries. since, earlier: the time since which all must be asked for, and when to ask.
    is_refused: whether the table refused the last order for entries.
    """

    def __init__(self, saved: Progress, since: str) -> None:
        super().__init__(saved.whole, saved.known)
        self.saved, self.shoe, self.since, self.closed_to = saved, saved.shoe, since, saved.closed_to
        self.retry, self.earlier = Retry(SETTLE_S, LONGEST_S), Retry(SETTLE_S, LONGEST_S)
        self.is_refused = False
        self._part, self._reached, self._in_turn = range(0), 0, False
        self._asked_s: float | None = None
        self.since_s = -inf

    def add(self, row: Row) -> None:
        """Add a message; a repeat changes nothing."""
        self.shoe, before = max(self.shoe, row.shoe), self.settled
        if self.has(row.seq):
            return
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
        return Progress(self.saved.key, self.shoe, self.whole, self.known, self.since, self.closed_to)

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
        """How many entries are missing that were not closed."""
        return sum(max(0, gap.stop - max(gap.start, self.settled + 1)) for gap in self.gaps())

    @property
    def busy(self) -> bool:
        """Whether something is missing, unsaved or not asked for yet."""
        return self.lacks or self.progress != self.saved or bool(self.since)

    def missing(self) -> range:
        """The entries to ask for now: the first missing ones, and if these do not come, by turns later ones.

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
        """How many entries came of the last order once all did, then the next is due; -1 where they are late."""
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
        """Whether to ask for missing entries now."""
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
        """How many entries are asked for and may still come."""
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
        """How many of the entries that were asked for last have not come."""
        return sum(seq > self.settled and not self.has(seq) for seq in self._part)

    def _go_on(self) -> None:
        """Count on from the last closed entry."""
        if self.closed_to > self.whole:
            while self.has(self.closed_to + 1):
                self.closed_to += 1


def closed(loaded: Loaded, to: int) -> Progress:
    """The progress of a journal after what it lacks up to an entry was closed."""
    journal = _Journal(loaded.progress, loaded.progress.since)
    for row in loaded.rows:
        journal.add(row)
    journal.close(to, answers=True)
    return journal.progress


def _count(order: Resend) -> int:
    """How many entries an order may bring."""
    return ALL if order.to is None or order.start is None else order.to - order.start + 1


class Ledger:
    """All journals that are not complete, and the newest of each table.

    load: reads a journal from the store. lacking: those that are not complete. asks: whether a new journal begins with
    an order for all before it; an order that is already due stays. room: entries that may be asked for and on the way.
    """

    def __init__(self, load: Callable[[Key], Loaded], lacking: Iterable[Key] = (), *, asks: bool = True) -> None:
        self._load, self._asks = load, asks
        self._tables: dict[str, dict[str, _Journal]] = {}
        self._touched: set[str] = set()
        self._links: dict[str, Link | None] = {}
        self._answering: dict[str, float | None] = {}
        self._last, self._is_late, self.room = "", False, LEAST
        for key in lacking:
            self._journal(key)

    def add(self, row: Row) -> None:
        """Add a message before it is committed; after a failed commit make a new ledger."""
        journal = self._journal(row.key, row.shoe)
        before = journal.settled if journal.lacks else inf
        journal.add(row)
        if journal.settled > before:
            self._moved(row.table)
        if row.prev_journal is not None and row.prev_seq:
            self._journal(Key(row.table, row.prev_journal)).reach(row.prev_seq)

    def reach(self, key: Key, shoe: int, seq: int) -> None:
        """Record from a state topic that a journal, now at this shoe, has this entry."""
        self._journal(key, shoe).reach(seq)

    def changes(self) -> Iterator[Progress]:
        """The progress to commit with the messages added since the last call."""
        for table in self._touched:
            for each in self._tables[table].values():
                if each.progress != each.saved:
                    each.saved = each.progress
                    yield each.saved

    def stored(self, key: Key) -> int:
        """The entry up to which a journal is complete, 0 for none; counts messages that are not committed yet."""
        return self._journal(key).whole

    @property
    def tables(self) -> int:
        """Number of known tables."""
        return len(self._tables)

    def connected(self, table: str, link: Link, *, is_up: bool = True) -> None:
        """Record by a `status` that a connection of a table is up, or that it has ended."""
        before = self._links.get(table)
        if is_up and link != before:
            self._links[table] = link
            for each in self._tables.get(table, {}).values():
                each.connected()
        elif not is_up and before in (None, link):
            self._links[table] = None

    def alive(self, table: str) -> None:
        """Record by a `health` that a table is connected."""
        if self._links.get(table, ()) is None:
            self.connected(table, ("", 0))

    def due(self, now: float) -> list[Ask]:
        """The orders to send now. now: seconds of any one monotonic clock.

        A table that is not connected is asked once it is. Tables take turns.
        """
        names = list(self._tables)
        self._look(now)
        room = self.room - sum(self._open(table, now) for table in names)
        first = names.index(self._last) + 1 if self._last in self._tables else 0
        asks: list[Ask] = []
        for table in names[first:] + names[:first]:
            if room <= 0:
                break
            for ask in self._of(table, now):
                asks.append(ask)
                self._last = table
                room -= _count(ask.order)
        return asks

    def _look(self, now: float) -> None:
        """Make more room by what came whole, and less by what is late of connected tables.

        The first that comes whole after others were late lets all be asked again.
        """
        came, late = 0, False
        for table, journals in self._tables.items():
            for each in journals.values():
                found = each.outcome(now)
                came += max(0, found)
                late = late or (found < 0 and bool(self._links.get(table)))
        self.room = max(LEAST, self.room // 2) if late else min(MOST, self.room + came)
        if came and self._is_late:
            for table in self._links:
                for each in self._tables.get(table, {}).values():
                    each.hurry(now)
        self._is_late = late or (self._is_late and not came)

    def _open(self, table: str, now: float) -> int:
        """How many entries of a table are asked for and may still come."""
        answering = ALL if table in self._answering else 0
        return answering + sum(each.open(now) for each in self._tables[table].values() if each.lacks or each.since)

    def _of(self, table: str, now: float) -> Iterator[Ask]:
        """The orders for a table now. One that sends all since a time is asked for no part of that."""
        if self._links.get(table, ()) is None:
            return
        longest_s = ONLINE_S if table in self._links else LONGEST_S
        is_answering = self._is_answering(table, now)
        is_held = is_answering or any(each.is_held for each in self._tables[table].values())
        for name, each in self._tables[table].items():
            if each.since and each.earlier.is_due(now):
                each.since_s = now
                yield Ask(table, Resend(since=each.since))
            if each.lacks and not is_held and each.is_due(now, longest_s):
                part = each.missing()
                yield Ask(table, Resend(journal=name, start=part.start, to=part.stop - 1))

    def _moved(self, table: str) -> None:
        """Record that something came of what a table lacked: it answers, and is not asked again for a while."""
        if table in self._answering:
            self._answering[table] = None
        for each in self._tables[table].values():
            if each.since and each.is_asked:
                each.earlier.at = None

    def _is_answering(self, table: str, now: float) -> bool:
        """Whether a table that agreed to send all since a time is still doing so."""
        if table not in self._answering:
            return False
        moved_s = self._answering[table]
        if moved_s is None:
            self._answering[table] = now
        elif now - moved_s >= SETTLE_S:
            del self._answering[table]
        return table in self._answering

    def answered(self, table: str, *, ok: bool) -> None:
        """Record the answer to an order for all since a time; after a refusal it is repeated with growing waits."""
        for each in self._tables.get(table, {}).values():
            if each.since and ok:
                each.since = ""
                self._touched.add(table)
                self._answering[table] = None
            elif each.since:
                each.earlier.wait.longest_s = REFUSED_S
                each.is_refused = True

    def refused(self, key: Key) -> None:
        """Record that a table refused an order for entries of a journal; it may send a part of them."""
        if found := self._tables.get(key.table, {}).get(key.journal):
            found.is_refused = True

    def close(self, key: Key, to: int, *, answers: bool = True) -> None:
        """Ask no more for what a person closed. answers: also not for what came before the journal."""
        found = self._tables.get(key.table, {}).get(key.journal)
        if found and (to > found.settled or (found.since and answers)):
            found.close(to, answers=answers)
            self._touched.add(key.table)

    def missing(self) -> int:
        """How many entries are known, not complete and not closed."""
        return sum(each.count() for journals in self._tables.values() for each in journals.values() if each.lacks)

    def forget_old(self) -> None:
        """Drop journals that are complete and not the newest of their table; the store keeps them."""
        for table in tuple(self._touched):
            journals = self._tables[table]
            if all(each.progress == each.saved for each in journals.values()):
                self._touched.discard(table)
            newest = max((each.shoe for each in journals.values()), default=0)
            self._tables[table] = {name: each for name, each in journals.items() if each.busy or each.shoe == newest}

    def _journal(self, key: Key, shoe: int | None = None) -> _Journal:
        """A journal, loaded from the store if needed. shoe: from a message; None if only its name is known."""
        self._touched.add(key.table)
        journals = self._tables.setdefault(key.table, {})
        if key.journal not in journals:
            progress, rows, previous = self._load(key)
            newest = max((each.shoe for each in journals.values()), default=0)
            since = progress.since
            is_newest = shoe is not None and shoe >= max(newest, previous.shoe if previous else 0)
            if progress.known == 0 and is_newest and self._asks:
                since = previous.at if previous else EVER
                for each in journals.values():  # not asked yet: one order for both
                    if each.since and not each.is_asked:
                        since, each.since = min(since, each.since), ""
            journals[key.journal] = found = _Journal(progress, since)
            for row in rows:
                found.add(row)
        return journals[key.journal]
