"""Keeps the facts in a store, in the commit of the messages that they were made from; the same for every engine."""

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from firmware_bridge.floor.facts.made import Fact, Facts, facts_of
from firmware_bridge.floor.facts.rows import (
    AlarmBegan,
    AlarmEnded,
    HandEntered,
    OrderGiven,
    Round,
    RoundName,
    ShiftActs,
    ShoeBegan,
    ShoeOver,
    SignedIn,
)
from firmware_bridge.floor.facts.sums import (
    TEN_MINUTES,
    Changed,
    Day,
    DayName,
    Slot,
    Slots,
    TableBets,
    TableDay,
    add_pace,
    as_json,
    bets_of,
    days_of,
    merge_bets,
    name_of,
)
from firmware_bridge.floor.record.message import Key, Row, rfc3339
from firmware_bridge.floor.record.state import Changes, TrustedKey
from firmware_bridge.floor.store.feed import FeedWrites
from firmware_bridge.floor.store.records import in_parts

if TYPE_CHECKING:
    from firmware_bridge.floor.store.compiled import Statement

MOST_KEPT: Final = 2**63 - 1
"""The largest integer of an engine: more than that only a forger adds up."""

PAGE: Final = 2_000
"""Messages read at once when facts are rebuilt."""


Hours = dict[tuple[str, str, str], tuple[int, int]]
"""Gaming day, table and dealer -> rounds with a result, and the milliseconds in which they were dealt."""


class Kept(NamedTuple):
    """A round as it is kept. opened_at: of its first event; closed_at: of its first `round` message; RFC 3339."""

    round: Round | None = None
    opened_at: str | None = None
    closed_at: str | None = None


class FactWrites(FeedWrites):
    """The part of a `Store` that keeps facts. Methods raise StoreError."""

    def journals(self) -> list[Key]:
        """Return the journals of all tables that have messages or facts."""
        with self._in_words():
            return [Key(*each) for each in self._all(self._sql.FACT_JOURNALS)]

    def _write_key(self, key: TrustedKey, closes: Sequence[tuple[str, str]]) -> None:
        """Keep a key. With the first one that is enrolled, what is not verified is a fact no longer.

        What is verified comes into the feed again.
        """
        was_enrolled = bool(self._all(self._sql.IS_ENROLLED, tbl=key.table))
        super()._write_key(key, closes)
        if key.was_enrolled and not was_enrolled:
            with self._alone():
                self._many(self._sql.FORGET_FEED, [(key.table,)])
                self._many(self._sql.FORGET_TAKEN, [(key.table,)])
                for each in self.journals():
                    if each.table == key.table:
                        self._rebuild(each)

    def rebuild_table(self, table: str) -> None:
        """Rebuild the facts of a table, a journal at a time."""
        for key in self.journals():
            if key.table == table:
                self.rebuild_journal(key)
        self.rebuild_days(table)

    def rebuild_journal(self, key: Key) -> None:
        """Rebuild the facts of a journal, in one transaction."""
        with self._transaction(), self._alone():
            self._rebuild(key)

    def rebuild_days(self, table: str) -> None:
        """Rebuild the sums of all days of a table, in one transaction."""
        with self._transaction(), self._alone():
            days, slots = dict[DayName, Day](), Slots()
            for each in self._all(self._sql.FACT_ROUNDS_OF, tbl=table):
                if round := (kept := _kept(each)).round:
                    days.setdefault(name_of(round), Day()).add(round)
                    add_pace(slots, round, kept.closed_at)
            for statement in (
                self._sql.FORGET_DAYS,
                self._sql.FORGET_DEALER_BETS,
                self._sql.FORGET_BETS,
                self._sql.FORGET_PACES,
                self._sql.FORGET_HOURS,
            ):
                self._many(statement, [(table,)])
            self._change_days(days)
            self._put_slots(slots, {})

    def _rebuild(self, key: Key) -> None:
        """Rebuild the facts of a journal within a transaction."""
        self._forget_facts(key)
        for rows in self._messages(key):
            self._save_facts(facts_of(rows))
        proved = self._all(self._sql.FACT_PROVED, tbl=key.table, journal=key.journal)
        self._save_facts(facts_of(Row(*each) for each in proved), is_proved=True)

    @abstractmethod
    def _alone(self) -> AbstractContextManager[None]:
        """Return a context in which no other transaction writes facts."""

    def _save_made(self, rows: Sequence[Row], record: Changes | None) -> None:
        """Keep the facts of messages that were stored, and of rounds that were verified, in the same transaction."""
        proved = [each.row for each in record.proved] if record else []
        if rows or proved:
            with self._alone():
                self._save_facts(facts_of(rows))
                self._save_facts(facts_of(proved), is_proved=True)

    def _save_facts(self, made: Facts, *, is_proved: bool = False) -> None:
        """Keep facts. is_proved: these rounds replace others with the same names and bytes that were not verified."""
        shoes = self._save_rounds(made, is_proved=is_proved)
        for kind, values in _values(made.events).items():
            self._many(getattr(self._sql, _STATEMENTS[kind]), values)
        if made.not_made:
            self._many(self._sql.FACT_NONE, [(each.topic, *each.place, each.why) for each in made.not_made])
        shoes |= {(*each.place[:2], each.shoe) for each in made.events if isinstance(each, ShoeOver)}
        self._many(self._sql.SHOE_DEALER, sorted(shoes))
        self._save_feed(made)

    def _save_rounds(self, made: Facts, *, is_proved: bool) -> set[tuple[str, str, int]]:
        """Keep rounds; return the shoes, each with its table and journal, of those that changed."""
        names = {**dict.fromkeys(each.name for each in made.rounds), **dict.fromkeys(made.opened)}
        before = {each: Kept() for each in names} | self._kept(names)
        after = dict(before)
        for name, at in made.opened.items():
            after[name] = after[name]._replace(opened_at=min(after[name].opened_at or at, at))
        for newest in made.rounds:
            here = after[newest.name]
            here = here._replace(closed_at=min(here.closed_at or newest.at, newest.at))
            if (
                here.round is None
                or newest.order > here.round.order
                or (is_proved and newest.order == here.round.order)
            ):
                here = here._replace(round=newest)
            after[newest.name] = here
        changed = {name: kept for name, kept in after.items() if kept != before[name]}
        if not changed:
            return set()
        self._put_rounds(changed)
        replaced = [
            (*name[:2], each.seq, each.n)
            for name, kept in changed.items()
            if (each := kept.round) and (was := before[name].round) and was != each and was.order == each.order
        ]
        self._many(self._sql.FORGET_FED, replaced)
        counting = [
            Changed(kept.round, before[name].round)
            for name, kept in changed.items()
            if kept.round and kept.round != before[name].round
        ]
        self._save_stakes(counting)
        self._change_days(days_of(counting))
        slots = Slots()
        for name, kept in changed.items():
            add_pace(slots, before[name].round, before[name].closed_at, -1)
            add_pace(slots, kept.round, kept.closed_at)
        self._change_slots(slots)
        return {each.now.name[:3] for each in counting}

    def _put_rounds(self, rounds: dict[RoundName, Kept]) -> None:
        """Write rounds, each with the next number of a change: the lock of facts lets no other writer take it."""
        [(last,)] = self._all(self._sql.CHANGE, count=len(rounds))
        numbered = enumerate(rounds.items(), last + 1 - len(rounds))
        self._at_once("FACT_ROUND", [(*_row(name, kept), number) for number, (name, kept) in numbered])

    def _save_stakes(self, changes: Sequence[Changed]) -> None:
        if old := [each.before.name for each in changes if each.before and each.before.unit == "money"]:
            self._many(self._sql.FORGET_STAKES, old)
        if stakes := [(*each.now.name, *stake) for each in changes for stake in each.now.stakes]:
            self._many(self._sql.FACT_STAKE, stakes)

    def _change_days(self, changes: dict[DayName, Day]) -> None:
        days, bets = self._days(changes), self._table_bets({TableDay.of(each) for each in changes})
        for name, more in changes.items():
            days.setdefault(name, Day()).merge(more)
            merge_bets(bets.setdefault(TableDay.of(name), {}), more.bets)
        self._put_days(days)
        self._put_bets(bets)

    def _days(self, names: Iterable[DayName]) -> dict[DayName, Day]:
        found = (each for some in in_parts(sorted(names)) for each in self._named(self._sql.FACT_DAYS, some))
        return {DayName(*each[:5]): day_of(*each[5:]) for each in found}

    def _put_days(self, days: dict[DayName, Day]) -> None:
        if over := [name for name, day in days.items() if day == Day()]:
            self._many(self._sql.FORGET_DAY, over)
            self._many(self._sql.FORGET_DEALER_BET, over)
        there = [(name, day) for name, day in sorted(days.items(), key=_name) if day != Day()]
        self._many(self._sql.FACT_DAY, [(*name, *_sums(day)) for name, day in there])
        self._many(self._sql.FACT_DEALER_BET, [(*name, as_json(day.bets).decode()) for name, day in there])

    def _table_bets(self, names: Iterable[TableDay]) -> TableBets:
        found = (each for some in in_parts(sorted(names)) for each in self._named(self._sql.FACT_BETS, some))
        return {TableDay(*each[:3]): bets_of(each[3]) for each in found}

    def _put_bets(self, bets: TableBets) -> None:
        self._many(self._sql.FORGET_BET, [name for name, sums in bets.items() if not sums])
        there = [(*name, as_json(sums).decode()) for name, sums in sorted(bets.items(), key=_name) if sums]
        self._many(self._sql.FACT_BET, there)

    def _change_slots(self, changes: Slots) -> None:
        """Add rounds to their slots, or take them out."""
        changes = {slot: change for slot, change in changes.items() if any(change.values())}
        found = (each for some in in_parts(sorted(changes)) for each in self._named(self._sql.FACT_SLOTS, some))
        before: Hours = {}
        for table, since, day, dealt_by, rounds, millis in found:
            changes[Slot(table, since)][day, dealt_by] += rounds
            _add_hours(before, (day, table, dealt_by), rounds, millis)
        self._put_slots(changes, before)

    def _put_slots(self, slots: Slots, before: Hours) -> None:
        """Write all that is in some slots, with each dealer's part of the time. before: what was in them."""
        over = [(*slot, *who) for slot, rounds in slots.items() for who, count in rounds.items() if not count]
        self._many(self._sql.FORGET_PACE, over)
        there = [
            (*slot, *who, count, TEN_MINUTES * 1000 * count // max(rounds.total(), 1))
            for slot, rounds in sorted(slots.items())
            for who, count in rounds.items()
            if count
        ]
        self._many(self._sql.FACT_PACE, there)
        hours: Hours = {}
        for name, (rounds, millis) in before.items():
            _add_hours(hours, name, -rounds, -millis)
        for table, _, day, dealt_by, rounds, millis in there:
            _add_hours(hours, (day, table, dealt_by), rounds, millis)
        changed = [(*name, *sums) for name, sums in sorted(hours.items()) if any(sums)]
        self._many(self._sql.FACT_HOURS, changed)
        self._many(self._sql.NO_HOURS, [name for *name, rounds, _ in changed if rounds <= 0])

    def _kept(self, names: Iterable[RoundName]) -> dict[RoundName, Kept]:
        found = (each for some in in_parts(list(names)) for each in self._named(self._sql.FACT_ROUNDS, some))
        return {RoundName(*each[:4]): _kept(each) for each in found}

    def _named(self, statement: "Statement", names: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Return the rows of a statement with `$names` in it for a list of names."""
        found: list[Any] = self._db.execute(*self._sql.listed(statement, names)).fetchall()
        return found

    def _forget_facts(self, key: Key) -> None:
        """Delete the facts of a journal, and take its rounds out of the sums of their days."""
        rounds = [
            (kept.round, kept.closed_at)
            for each in self._all(self._sql.FACT_ROUNDS_IN, tbl=key.table, journal=key.journal)
            if (kept := _kept(each)).round
        ]
        days, slots = dict[DayName, Day](), Slots()
        for each, closed_at in rounds:
            days.setdefault(name_of(each), Day()).add(each, -1)
            add_pace(slots, each, closed_at, -1)
        self._change_days(days)
        self._change_slots(slots)
        for statement in self._sql.forgetting():
            self._many(statement, [key])

    def _messages(self, key: Key) -> Iterator[list[Row]]:
        """Yield the stored messages of a journal that become facts, a page at a time."""
        names = {"tbl": key.table, "journal": key.journal}
        if packed := list(self._packed(key).values()):
            if self._all(self._sql.IS_ENROLLED, tbl=key.table):
                verified = {seq for (seq,) in self._all(self._sql.LEAF_SEQS, **names)}
                packed = [row for row in packed if row.seq in verified]
            yield packed
        place: dict[str, Any] = {"seq": 0, "n": 0, "topic": ""}
        while found := self._all(self._sql.FACT_MESSAGES, **names, **place, most=PAGE):
            rows = [Row(*each) for each in found]
            yield [each._replace(body=bytes(each.body)) for each in rows]
            place = {"seq": rows[-1].seq, "n": rows[-1].n, "topic": rows[-1].topic}


def _kept(found: Sequence[Any]) -> Kept:
    """Return a row of `fact_round` as statements select it, without `changed`."""
    *fields, opened_at, closed_at = found
    opened, closed = time_of(opened_at), time_of(closed_at)
    if fields[4] is None:
        return Kept(None, opened, closed)
    newest = Round(*fields)
    return Kept(newest._replace(at=time_of(newest.at) or "", last=bool(newest.last)), opened, closed)


def _row(name: RoundName, kept: Kept) -> tuple[Any, ...]:
    if kept.round:
        return *kept.round[:-1], kept.opened_at, kept.closed_at
    return *name, *(None,) * 5, "open", *(None,) * 12, kept.opened_at, kept.closed_at


def time_of(found: Any) -> str | None:
    """Return a time as RFC 3339: an engine gives back a text, or a time."""
    return rfc3339(found.astimezone(UTC)) if isinstance(found, datetime) else found


def day_of(*found: Any) -> Day:
    """Return the sums of a day as an engine gives them back, the last one as JSON."""
    *sums, bets = found
    day = Day(*sums)
    day.bets = bets_of(bets or "{}")
    return day


def _sums(day: Day) -> tuple[int, ...]:
    money = (max(-MOST_KEPT, min(MOST_KEPT, each)) for each in (day.staked, day.house))
    return day.rounds, day.voided, day.corrected, day.by_hand, *money


def _add_hours(to: Hours, name: tuple[str, str, str], rounds: int, millis: int) -> None:
    had = to.get(name, (0, 0))
    to[name] = had[0] + rounds, had[1] + millis


def _name(item: tuple[Any, Any]) -> Any:
    return item[0]


def _values(made: Sequence[Fact]) -> dict[type[Any], list[tuple[Any, ...]]]:
    """Return kind of a fact -> rows of its table."""
    values: dict[type[Any], list[tuple[Any, ...]]] = {}
    for each in made:
        values.setdefault(type(each), []).append(_event_row(each))
    return values


def _event_row(fact: Fact) -> tuple[Any, ...]:
    match fact:
        case AlarmBegan(place, id, detail):
            return *place, id, True, detail, "", "", ""
        case AlarmEnded(place, id, choice, by, second):
            return *place, id, False, "", choice, by, second
        case ShoeBegan(place, shoe, game, decks):
            return place.table, place.journal, shoe, place.at, game, decks, *(None,) * 7
        case ShoeOver(place, shoe, rounds, code, alarm, by, why):
            return place.table, place.journal, shoe, None, None, None, place.at, why, rounds, None, code, alarm, by
        case _:
            return *fact.place, *fact[1:]


_STATEMENTS: Final[dict[type[Any], str]] = {
    AlarmBegan: "FACT_ALARM",
    AlarmEnded: "FACT_ALARM",
    HandEntered: "FACT_ENTRY",
    SignedIn: "FACT_DEALER",
    ShoeBegan: "FACT_SHOE_BEGAN",
    ShoeOver: "FACT_SHOE_OVER",
    OrderGiven: "FACT_ORDER",
    ShiftActs: "FACT_ACTS",
}
