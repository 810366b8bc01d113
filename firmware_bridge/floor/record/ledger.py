"""Which entries of which journals are whole, and what to ask a table for again."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from firmware_bridge.facts.orders import Resend
from firmware_bridge.floor.record.entry import Entry
from firmware_bridge.floor.record.message import Key, Row

SETTLE_S: Final = 5.0
"""How long a gap may close by itself before it is asked for."""

SPAN: Final = 50
"""Entries that are asked for at a time, at most."""

FIRST_S, LONGEST_S = 10.0, 600.0
"""The wait between two orders for the same gap, doubled each time."""

REFUSED_S: Final = 6 * 3600.0
"""The longest wait after a table refused to send all since a time: what it can read of that it sends each time."""

EVER: Final = "1970-01-01T00:00:00Z"
"""Before every entry."""


class Progress(NamedTuple):
    """How far a journal is kept: every message of its entries up to `whole`. It has entries up to `known` at least.

    shoe: of its newest message, 0 where none came: an older journal has a lower number. since: the time from which
    the table is still to be asked for what it said before this journal, RFC 3339; empty where it has answered.
    """

    key: Key
    shoe: int
    whole: int
    known: int
    since: str = ""


class Loaded(NamedTuple):
    """A journal as the store has it: its progress, and the messages of entries behind `whole`.

    previous: the newest other journal of the table, where this one is unknown; else None.
    """

    progress: Progress
    rows: Iterable[Row]
    previous: Previous | None = None


class Previous(NamedTuple):
    """The newest journal of a table before another: its shoe, and the time of its last event that is kept."""

    shoe: int
    at: str


class Ask(NamedTuple):
    """An order for the table that has the gap."""

    table: str
    order: Resend


class _Asked:
    """Something that is missing, and when it is asked for."""

    def __init__(self) -> None:
        self.ask_at: float | None = None
        self.asked, self.longest_s = 0, LONGEST_S

    def due(self, now: float) -> bool:
        """Whether to ask now; then the next time is later."""
        if self.ask_at is None:
            self.ask_at = now + SETTLE_S
        elif now >= self.ask_at:
            self.ask_at = now + min(self.longest_s, FIRST_S * 2.0 ** min(self.asked, 12))
            self.asked += 1
            return True
        return False


class _Earlier(_Asked):
    """What a table said since a time, up to a journal: no message names the end of the one before."""

    def __init__(self, since: str) -> None:
        super().__init__()
        self.since = since


class _Journal(_Asked):
    """One journal: `whole` entries, and what came behind them."""

    def __init__(self, shoe: int = 0, whole: int = 0, known: int = 0) -> None:
        super().__init__()
        self.shoe, self.whole, self.known = shoe, whole, known
        self.behind: dict[int, Entry] = {}
        self.part, self.reached = range(0), 0
        self.changed = False
        self.earlier: _Earlier | None = None

    def take(self, row: Row) -> None:
        self.shoe = max(self.shoe, row.shoe)
        self.reach(row.seq)
        if row.seq <= self.whole:
            return
        entry = self.behind.setdefault(row.seq, Entry())
        entry.take(row)
        if entry.whole and row.seq in self.part:
            self.ask_at, self.asked = None, 0
        while self._has(self.whole + 1):
            del self.behind[self.whole + 1]
            self.whole += 1
            self.changed, self.ask_at, self.asked = True, None, 0

    def reach(self, seq: int) -> None:
        """Note that the journal has this entry."""
        if seq > self.known:
            self.known, self.changed = seq, True

    @property
    def busy(self) -> bool:
        """Whether something is to be done about it."""
        return self.lacks or self.changed or self.earlier is not None

    @property
    def lacks(self) -> bool:
        return self.whole < self.known

    def missing(self) -> range:
        """The entries to ask for now: the first that are missing, and in turn, where they do not come, later ones.

        An entry that its table cannot read never comes: what is missing behind it must not wait for it.
        """
        self.part = first = self._missing_from(self.whole + 1)
        if self.asked % 2 == 0:  # asked for the second time, the fourth ..
            self.part = self._missing_from(max(self.reached + 1, first.stop)) or self._missing_from(first.stop) or first
            self.reached = self.part.stop - 1
        return self.part

    def _missing_from(self, seq: int) -> range:
        """The next entries that are missing, from the first to the last of a span; none where all are there."""
        while self._has(seq):
            seq += 1
        last = min(self.known, seq + SPAN - 1)
        while last > seq and self._has(last):
            last -= 1
        return range(seq, last + 1)

    def _has(self, seq: int) -> bool:
        entry = self.behind.get(seq)
        return entry is not None and entry.whole


class Ledger:
    """Every journal that is not whole, and the newest of each table.

    load: a journal as the store has it. lacking: those that are not whole. asks: whether a new journal begins with an
    order for all before it; where one is still to be sent, that stays so.
    """

    def __init__(self, load: Callable[[Key], Loaded], lacking: Iterable[Key] = (), *, asks: bool = True) -> None:
        self._load, self._asks = load, asks
        self._tables: dict[str, dict[str, _Journal]] = {}
        self._touched: set[str] = set()
        for key in lacking:
            self._journal(key)

    def take(self, row: Row) -> None:
        """Note a message, a repeat too, before it is committed; after a failed commit make a new ledger."""
        self._journal(row.key, row.shoe).take(row)
        if row.prev_journal is not None and row.prev_seq:
            self._journal(Key(row.table, row.prev_journal)).reach(row.prev_seq)

    def reach(self, key: Key, shoe: int, seq: int) -> None:
        """Note that a journal, now at this shoe, has this entry, as a state topic says."""
        self._journal(key, shoe).reach(seq)

    def changes(self) -> Iterator[Progress]:
        """The progress to commit with the messages that were noted since the last call."""
        for table in self._touched:
            for journal, each in self._tables[table].items():
                if each.changed:
                    each.changed = False
                    since = each.earlier.since if each.earlier else ""
                    yield Progress(Key(table, journal), each.shoe, each.whole, each.known, since)

    def stored(self, key: Key) -> int:
        """The entry up to which all of a journal is kept, 0 for none; what is noted since the last commit counts."""
        return self._journal(key).whole

    @property
    def tables(self) -> int:
        """How many tables are known."""
        return len(self._tables)

    def due(self, now: float) -> Iterator[Ask]:
        """The orders to send now. now: seconds of any one monotonic clock."""
        for table, journals in self._tables.items():
            for name, each in journals.items():
                if each.lacks and each.due(now):
                    part = each.missing()
                    yield Ask(table, Resend(journal=name, start=part.start, to=part.stop - 1))
                if each.earlier and each.earlier.due(now):
                    yield Ask(table, Resend(since=each.earlier.since))

    def answered(self, table: str, *, ok: bool) -> None:
        """Note that a table answered an order for all since a time; one that refused it is asked again, ever later."""
        for each in self._tables.get(table, {}).values():
            if each.earlier and ok:
                each.earlier, each.changed = None, True
                self._touched.add(table)
            elif each.earlier:
                each.earlier.longest_s = REFUSED_S

    def forget_old(self) -> None:
        """Let go of journals that are whole and not the newest of their table; the store still has them."""
        for table in tuple(self._touched):
            journals = self._tables[table]
            if not any(each.changed for each in journals.values()):
                self._touched.discard(table)
            newest = max((each.shoe for each in journals.values()), default=0)
            self._tables[table] = {name: each for name, each in journals.items() if each.busy or each.shoe == newest}

    def _journal(self, key: Key, shoe: int | None = None) -> _Journal:
        """A journal. shoe: what one of its messages says; None where only its name is known."""
        self._touched.add(key.table)
        journals = self._tables.setdefault(key.table, {})
        if key.journal not in journals:
            progress, rows, previous = self._load(key)
            newest = max((each.shoe for each in journals.values()), default=0)
            since = progress.since
            is_newest = shoe is not None and shoe >= max(newest, previous.shoe if previous else 0)
            if progress.known == 0 and is_newest and self._asks:
                since = previous.at if previous else EVER
            journals[key.journal] = found = _Journal(progress.shoe, progress.whole, progress.known)
            found.earlier = _Earlier(since) if since else None
            for row in rows:
                found.take(row)
        return journals[key.journal]
