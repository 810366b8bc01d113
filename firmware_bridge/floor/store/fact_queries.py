"""Reads the facts of a store, the same for every engine."""

from typing import NamedTuple

from firmware_bridge.floor.facts.reports import BetSums, ChangedRound, Pace, Summed
from firmware_bridge.floor.facts.sums import Day, DayName
from firmware_bridge.floor.store.facts import time_of
from firmware_bridge.floor.store.records import RecordQueries


class Between(NamedTuple):
    """Gaming days, from the first to the last, YYYY-MM-DD. table: "" for all."""

    since: str
    until: str
    table: str = ""


class FactQueries(RecordQueries):
    """The queries about facts that a `Store` and a `Reader` answer. Methods raise StoreError."""

    def last_change(self) -> int:
        """The number of the last change of a round; 0 without any."""
        with self._in_words():
            [(found,)] = self._all(self._sql.LAST_CHANGE) or [(0,)]
        return int(found)

    def last_changed(self) -> str:
        """When the message about the round was made that was changed last, RFC 3339; "" without any."""
        with self._in_words():
            [(found,)] = self._all(self._sql.LAST_CHANGED) or [(None,)]
        return time_of(found) or ""

    def last_day(self) -> str:
        """The newest gaming day with a round; "" without any."""
        with self._in_words():
            [(found,)] = self._all(self._sql.LAST_DAY)
        return found or ""

    def sums(self, between: Between) -> list[Summed]:
        """The sums of gaming days, without those of bets."""
        with self._in_words():
            found = self._all(self._sql.DAYS_BETWEEN, **_named(between))
        return [Summed(DayName(*each[:5]), Day(*each[5:])) for each in found]

    def bet_sums(self, between: Between) -> BetSums:
        """The sums of bets."""
        query, sums = self._sql.BETS_BETWEEN, BetSums()
        with self._in_words():
            for game, bets in self._db.execute(query.text, query.values(_named(between))):
                sums.add(game, bets)
        return sums

    def paces(self, between: Between) -> list[Pace]:
        """How fast each dealer dealt, by name."""
        with self._in_words():
            return [
                Pace(name, int(rounds), int(millis))
                for name, rounds, millis in self._all(self._sql.PACE_BETWEEN, **_named(between))
            ]

    def changed_rounds(self, between: Between) -> list[ChangedRound]:
        """The rounds that were changed after they had closed."""
        with self._in_words():
            found = self._all(self._sql.CHANGED_BETWEEN, **_named(between))
        return [ChangedRound(*each)._replace(at=time_of(each[-1]) or "") for each in found]


def _named(between: Between) -> dict[str, object]:
    return {"since": between.since, "until": between.until, "tbl": between.table}
