"""Counts which entries of which journals are complete, and what to ask the tables for."""

from collections.abc import Callable, Iterable, Iterator
from math import inf
from typing import Final, NamedTuple

from firmware_bridge.client.asking import EVER, Link
from firmware_bridge.client.chain import number
from firmware_bridge.facts.orders import Resend
from firmware_bridge.floor.record.message import Key, Row
from firmware_bridge.floor.record.progress import ALL, LONGEST_S, ONLINE_S, SETTLE_S, Journal, Progress

LEAST, MOST = 250, 2_000
"""Entries that may be asked for and on the way: few at first, more as they come, fewer where they are late.

Repeats must leave room for new messages, and what seems to be missing may wait in the broker's queue.
"""

BEGIN_S: Final = 1.0
"""Time for what a table sends after it agreed to send all since a time to begin, where nothing else is missing."""

REFUSED_S: Final = 6 * 3600.0
"""Longest wait after a table refused an order for all since a time: each time it sends what it can read of that."""


class Previous(NamedTuple):
    """The newest journal of a table before another: its shoe, and the time of its last stored event.

    journal, known: its name, and the last entry that it is known to have.
    """

    shoe: int
    at: str
    journal: str = ""
    known: int = 0


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


def closed(loaded: Loaded, to: int) -> Progress:
    """Return the progress of a journal after what it lacks up to an entry was closed."""
    journal = Journal(loaded.progress)
    for row in loaded.rows:
        journal.add(row)
    journal.close(to, answers=True)
    return journal.progress


def _count(order: Resend) -> int:
    """Return how many entries an order may bring."""
    return ALL if order.to is None or order.start is None else order.to - order.start + 1


def is_for_all(order: Resend) -> bool:
    """Return whether an order is for all since a time, or behind an entry."""
    return order.to is None


class Ledger:
    """All journals that are not complete, and the newest of each table.

    load: reads a journal from the store. lacking: those that are not complete. asks: whether a new journal begins with
    an order for all before it; an order that is already due stays. room: entries that may be asked for and on the way.
    """

    def __init__(self, load: Callable[[Key], Loaded], lacking: Iterable[Key] = (), *, asks: bool = True) -> None:
        self._load, self._asks = load, asks
        self._tables: dict[str, dict[str, Journal]] = {}
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
        """Yield the progress to commit with the messages added since the last call."""
        for table in self._touched:
            for each in self._tables[table].values():
                if each.progress != each.saved:
                    each.saved = each.progress
                    yield each.saved

    def stored(self, key: Key) -> int:
        """Return the entry up to which a journal is complete, 0 for none; count messages that are not committed yet."""
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
        """Return the orders to send now. now: seconds of any one monotonic clock.

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
        """Return how many entries of a table are asked for and may still come."""
        answering = ALL if self._is_answering(table, now) else 0
        return answering + sum(each.open(now) for each in self._tables[table].values() if each.lacks or each.since)

    def _of(self, table: str, now: float) -> Iterator[Ask]:
        """Yield the orders for a table now. One that sends all since a time is asked for no part of that."""
        if self._links.get(table, ()) is None:
            return
        longest_s = ONLINE_S if table in self._links else LONGEST_S
        is_answering = self._is_answering(table, now)
        is_held = is_answering or any(each.is_held for each in self._tables[table].values())
        for name, each in self._tables[table].items():
            if each.since and each.earlier.is_due(now):
                each.since_s = now
                journal, start = each.tail or (None, None)
                yield Ask(table, Resend(journal=journal, start=start, since=None if journal else each.since))
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
        """Return whether a table that agreed to send all since a time is still doing so."""
        if table not in self._answering:
            return False
        moved_s = self._answering[table]
        lacks = any(each.lacks for each in self._tables[table].values())
        if moved_s is None:
            self._answering[table] = now
        elif now - moved_s >= (SETTLE_S if lacks else BEGIN_S):
            del self._answering[table]
        return table in self._answering

    def answered(self, table: str, *, ok: bool) -> None:
        """Record the answer to an order for all since a time; after a refusal it is repeated with growing waits."""
        for each in self._tables.get(table, {}).values():
            if each.since and ok:
                each.since = ""
                self._touched.add(table)
                self._answering[table] = None
                self.room = min(MOST, self.room + ALL)
            elif each.since and each.tail:  # its table does not have the journal before any more
                each.tail = None
                each.earlier.reset()
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
        """Return how many entries are known, not complete and not closed."""
        return sum(each.count() for journals in self._tables.values() for each in journals.values() if each.lacks)

    def forget_old(self) -> None:
        """Drop journals that are complete and not the newest of their table; the store keeps them."""
        for table in tuple(self._touched):
            journals = self._tables[table]
            if all(each.progress == each.saved for each in journals.values()):
                self._touched.discard(table)
            newest = max((each.shoe for each in journals.values()), default=0)
            self._tables[table] = {name: each for name, each in journals.items() if each.busy or each.shoe == newest}

    def _journal(self, key: Key, shoe: int | None = None) -> Journal:
        """Return a journal, loaded from the store if needed. shoe: from a message; None if only its name is known."""
        self._touched.add(key.table)
        journals = self._tables.setdefault(key.table, {})
        if key.journal not in journals:
            progress, rows, previous = self._load(key)
            newest = max((each.shoe for each in journals.values()), default=0)
            is_newest = shoe is not None and shoe >= max(newest, previous.shoe if previous else 0)
            has_earlier = previous is not None or number(key.journal) > 0  # a table's first journal has the number 0
            found = Journal(progress)
            if progress.known == 0 and is_newest and has_earlier and self._asks:
                found.since = previous.at if previous else EVER
                if previous and number(key.journal) == number(previous.journal) + 1:
                    found.tail = previous.journal, previous.known + 1
                for each in journals.values():  # not asked yet: one order for both
                    if each.since and not each.is_asked:
                        found.since, each.since, found.tail = min(found.since, each.since), "", None
            journals[key.journal] = found
            for row in rows:
                found.add(row)
        return journals[key.journal]
