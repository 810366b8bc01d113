"""Reads the facts of a store, the same for every engine."""

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from typing import Any, NamedTuple

from firmware_bridge.floor.facts.answers import AlarmAt, RoundMessage
from firmware_bridge.floor.facts.reports import NO_DEALER, BetSums, ChangedRound, Pace, Report, Summed
from firmware_bridge.floor.facts.sums import Day, DayName
from firmware_bridge.floor.store.facts import time_of
from firmware_bridge.floor.store.records import RecordQueries, in_parts


class Between(NamedTuple):
    """Gaming days, from the first to the last, YYYY-MM-DD. table: "" for all."""

    since: str
    until: str
    table: str = ""

    @property
    def begin(self) -> str:
        """When the first one begins in UTC, RFC 3339."""
        return f"{self.since}T00:00:00.000Z"

    @property
    def end(self) -> str:
        """When the last one has ended in UTC, RFC 3339."""
        return f"{date.fromisoformat(self.until) + timedelta(1)}T00:00:00.000Z"


class RoundAt(NamedTuple):
    """A round, as the newest message says. Times are RFC 3339.

    place: the number of its last change. bets: bet -> net, JSON. faces: card -> how often it was dealt, JSON.
    """

    place: int
    table: str
    journal: str
    shoe: int
    round: int
    revision: int
    seq: int
    n: int
    at: str
    game: str
    status: str
    day: str
    pit: str
    shift: str
    dealt_by: str
    outcome: str
    unit: str
    staked: int | None
    house: int | None
    by_hand: int
    bets: str
    faces: str
    opened_at: str | None
    closed_at: str | None


class OrderAt(NamedTuple):
    """An order that was answered. by: the name, or the key. person: for whom, or the login; "" if unknown.

    at: RFC 3339.
    """

    what: str
    by: str
    person: str
    is_ok: bool
    error: str
    at: str


class FactQueries(RecordQueries):
    """The queries about facts that a `Store` and a `Reader` answer. Methods raise StoreError."""

    def last_change(self) -> int:
        """Return the number of the last change of a round; 0 without any."""
        with self._in_words():
            [(found,)] = self._all(self._sql.LAST_CHANGE) or [(0,)]
        return int(found)

    def last_changed(self) -> str:
        """Return when the message about the round was made that was changed last, RFC 3339; "" without any."""
        with self._in_words():
            [(found,)] = self._all(self._sql.LAST_CHANGED) or [(None,)]
        return time_of(found) or ""

    def last_orders(self, table: str, journal: str, most: int) -> list[OrderAt]:
        """Return the newest orders of a journal, the oldest first."""
        with self._in_words():
            found = self._all(self._sql.LAST_ORDERS, tbl=table, journal=journal, most=most)
        return [
            OrderAt(what, by, person, bool(is_ok), error, time_of(at) or "")
            for what, by, person, is_ok, error, at in reversed(found)
        ]

    def last_day(self) -> str:
        """Return the newest gaming day with a round; "" without any."""
        with self._in_words():
            [(found,)] = self._all(self._sql.LAST_DAY)
        return found or ""

    def sums(self, between: Between, by: Collection[str]) -> list[Summed]:
        """Return sums of gaming days, without those of bets. by: columns of `fact_day`; in a name the others are ""."""
        with self._in_words():
            found = self._all(self._sql.sums(by), **_named(between))
        return [Summed(DayName(*each[:5]), _day(*map(int, each[5:]))) for each in found]

    def bet_sums(self, between: Between) -> BetSums:
        """Return the sums of bets."""
        query, sums = self._sql.BETS_BETWEEN, BetSums()
        with self._in_words():
            for game, bets in self._db.execute(query.text, query.values(_named(between))):
                sums.add(game, bets)
        return sums

    def paces(self, between: Between) -> list[Pace]:
        """Return how fast each dealer dealt, by name."""
        with self._in_words():
            return [
                Pace(name, int(rounds), int(millis))
                for name, rounds, millis in self._all(self._sql.PACE_BETWEEN, **_named(between))
            ]

    def changed_rounds(self, between: Between) -> list[ChangedRound]:
        """Return the rounds that were changed after they had closed."""
        with self._in_words():
            found = self._all(self._sql.CHANGED_BETWEEN, **_named(between))
        return [ChangedRound(*each)._replace(at=time_of(each[-1]) or "") for each in found]

    def asked(self, name: str, between: Between) -> Report:
        """Return the answer to a query of `house_statements.QUERIES`."""
        query, statement = self._sql.asked(name)
        with self._in_words():
            found = self._db.execute(statement.text, statement.values(_named(between))).fetchall()
        rows = (
            (*(name or NO_DEALER for name in each[: query.names]), *map(_cell, each[query.names :])) for each in found
        )
        return Report(query.titles, list(rows), query.names)

    def changes(self, between: Between) -> list[RoundMessage]:
        """Return all messages about the rounds corrected or voided, round by round, the newest of each last."""
        bodies = dict[tuple[Any, ...], list[tuple[bytes, str]]]()
        with self._in_words():
            changed = self._all(self._sql.CHANGED, **_named(between))
            for *name, body, person in self._all(self._sql.CHANGES, **_named(between)):
                bodies.setdefault(tuple(name), []).append((bytes(body), person))
        return [
            RoundMessage._make((*name, dealer or "", *message))
            for *name, dealer in changed
            for message in bodies.get(tuple(name[1:5]), [(b"", "")])
        ]

    def alarms(self, between: Between) -> list[AlarmAt]:
        """Return begin and end of all alarms from the first of these days on, in UTC; each id of a table by itself."""
        with self._in_words():
            found = self._all(self._sql.ALARMS, **_named(between))
        return [
            AlarmAt(str(tbl), str(id), time_of(at) or "", bool(begins), *rest) for tbl, id, at, begins, *rest in found
        ]

    def rounds_after(self, table: str, place: int, most: int) -> list[RoundAt]:
        """Return the rounds of a table that changed behind a place, the number of a change, at most so many."""
        with self._in_words():
            return list(map(_round_at, self._all(self._sql.ROUNDS_AFTER, tbl=table, after=place, most=most)))

    def named_at(self, place: int) -> tuple[str, str, int, int] | None:
        """Return table, journal, entry and number of the round that changed last in a place; None if there is none."""
        with self._in_words():
            found = self._all(self._sql.ROUND_AT, changed=place)
        return tuple(found[0]) if found else None

    def last_place(self) -> int:
        """Return the highest number of a change that was ever given, 0 for none."""
        with self._in_words():
            [(found,)] = self._all(self._sql.LAST_CHANGE) or [(0,)]
        return int(found)

    def newest_rounds(self) -> dict[str, RoundAt | None]:
        """Return table -> its round that changed last; None for a table without one."""
        with self._in_words():
            places = {str(table): place for table, place in self._all(self._sql.ROUND_TABLES)}
            wanted = [(place,) for place in places.values() if place]
            found: list[Any] = []
            for some in in_parts(wanted):
                found += self._db.execute(*self._sql.listed(self._sql.ROUNDS_AT, some)).fetchall()
        rounds = {each.table: each for each in map(_round_at, found)}
        return {table: rounds.get(table) for table in places}


def _day(rounds: int, voided: int, corrected: int, by_hand: int, *money: int) -> Day:
    """Return what a day sums up. money: staked and house, each in millions and the rest."""
    staked, house = (millions * 1_000_000 + rest for millions, rest in (money[:2], money[2:]))
    return Day(rounds, voided, corrected, by_hand, staked, house)


def _named(between: Between) -> dict[str, object]:
    return {**between._asdict(), "tbl": between.table, "begin": between.begin, "end": between.end}


def _cell(value: Any) -> str:
    """Return a value of a query as reports have it: an amount with two decimals."""
    if value is None or isinstance(value, str | int):
        return "" if value is None else str(value)
    return f"{value:.2f}"


def _round_at(found: Sequence[Any]) -> RoundAt:
    """Return a row of `ROUNDS_AFTER`."""
    each = RoundAt(*found)
    return each._replace(
        at=time_of(each.at) or "", opened_at=time_of(each.opened_at), closed_at=time_of(each.closed_at)
    )
