"""Which entries of which journals are whole, and what to ask a table for again."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from firmware_bridge.client.batches import Retry
from firmware_bridge.client.ledger import Entries
from firmware_bridge.facts.orders import Resend
from firmware_bridge.floor.record.message import EVENT, Key, Row, makes_round

SETTLE_S: Final = 5.0
"""How long a gap may close by itself before it is asked for."""

SPAN: Final = 50
"""Entries that are asked for at a time, at most."""

LONGEST_S: Final = 600.0
"""The longest wait between two orders for the same gap; it doubles from twice `SETTLE_S`."""

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


class Previous(NamedTuple):
    """The newest journal of a table before another: its shoe, and the time of its last event that is kept."""

    shoe: int
    at: str


class Loaded(NamedTuple):
    """A journal as the store has it: its progress, and the messages of entries behind `whole`.

    previous: the newest other journal of the table, where this one is unknown; else None.
    """

    progress: Progress
    rows: Iterable[Row]
    previous: Previous | None = None


class Ask(NamedTuple):
    """An order for the table that has the gap."""

    table: str
    order: Resend


class _Journal(Entries):
    """One journal as the store has it, and when its table is asked for what is missing.

    retry: of the entries of `part`. since, earlier: the time since which all is still to be asked for, and when.
    """

    def __init__(self, saved: Progress, since: str) -> None:
        super().__init__(saved.whole, saved.known)
        self.saved, self.shoe, self.since = saved, saved.shoe, since
        self.retry, self.earlier = Retry(SETTLE_S, LONGEST_S), Retry(SETTLE_S, LONGEST_S)
        self._part, self._reached, self._in_turn = range(0), 0, False

    def add(self, row: Row) -> None:
        """Note a message, a repeat too."""
        self.shoe, before = max(self.shoe, row.shoe), self.whole
        if self.has(row.seq):
            return
        if row.topic == EVENT:
            self.event(row.seq, row.n, row.of, has_round=makes_round(row))
        else:
            self.round(row.seq, row.n)
        if self.whole > before or (row.seq in self._part and self.has(row.seq)):
            self.retry.reset()
            self._in_turn = False

    @property
    def progress(self) -> Progress:
        """How far it is."""
        return Progress(self.saved.key, self.shoe, self.whole, self.known, self.since)

    @property
    def lacks(self) -> bool:
        """Whether an entry is missing."""
        return self.whole < self.known

    @property
    def busy(self) -> bool:
        """Whether something is to be done about it."""
        return self.lacks or self.progress != self.saved or bool(self.since)

    def missing(self) -> range:
        """The entries to ask for now: the first that are missing, and in turn, where they do not come, later ones.

        An entry that its table cannot read never comes: what is missing behind it must not wait for it.
        """
        self._part = first = self.span(self.whole + 1, SPAN)
        if self._in_turn:
            behind = max(self._reached + 1, first.stop)
            self._part = self.span(behind, SPAN) or self.span(first.stop, SPAN) or first
            self._reached = self._part.stop - 1
        self._in_turn = not self._in_turn
        return self._part


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

    def add(self, row: Row) -> None:
        """Note a message, a repeat too, before it is committed; after a failed commit make a new ledger."""
        self._journal(row.key, row.shoe).add(row)
        if row.prev_journal is not None and row.prev_seq:
            self._journal(Key(row.table, row.prev_journal)).reach(row.prev_seq)

    def reach(self, key: Key, shoe: int, seq: int) -> None:
        """Note that a journal, now at this shoe, has this entry, as a state topic says."""
        self._journal(key, shoe).reach(seq)

    def changes(self) -> Iterator[Progress]:
        """The progress to commit with the messages that were noted since the last call."""
        for table in self._touched:
            for each in self._tables[table].values():
                if each.progress != each.saved:
                    each.saved = each.progress
                    yield each.saved

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
                if each.lacks and each.retry.is_due(now):
                    part = each.missing()
                    yield Ask(table, Resend(journal=name, start=part.start, to=part.stop - 1))
                if each.since and each.earlier.is_due(now):
                    yield Ask(table, Resend(since=each.since))

    def answered(self, table: str, *, ok: bool) -> None:
        """Note that a table answered an order for all since a time; one that refused it is asked again, ever later."""
        for each in self._tables.get(table, {}).values():
            if each.since and ok:
                each.since = ""
                self._touched.add(table)
            elif each.since:
                each.earlier.wait.longest_s = REFUSED_S

    def forget_old(self) -> None:
        """Let go of journals that are whole and not the newest of their table; the store still has them."""
        for table in tuple(self._touched):
            journals = self._tables[table]
            if all(each.progress == each.saved for each in journals.values()):
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
            journals[key.journal] = found = _Journal(progress, since)
            for row in rows:
                found.add(row)
        return journals[key.journal]
