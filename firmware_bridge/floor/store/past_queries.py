"""Reads the past of one table: its shoes, their rounds and alarms; the same for every engine."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from firmware_bridge.facts.bounds import MOST
from firmware_bridge.floor.facts.answers import AlarmAt
from firmware_bridge.floor.store.facts import time_of
from firmware_bridge.floor.store.records import RecordQueries, as_bytes

MOST_MESSAGES: Final = 1_000
"""Most messages about the rounds of a shoe: it has fewer than 120 rounds, and a round few corrections."""


class Dealt(NamedTuple):
    """What a dealer dealt of a shoe. dealer: "" where none was signed in. rounds: also those that were voided."""

    dealer: str
    rounds: int
    voided: int
    corrected: int


class PastShoe(NamedTuple):
    """A shoe. Times are RFC 3339. Opening and end are None where they are not stored.

    code, alarm, by, why: how it ended, as in `fact_shoe`.
    """

    journal: str
    shoe: int
    game: str | None
    decks: int | None
    opened_at: str | None
    ended_at: str | None
    code: str | None
    alarm: str | None
    by: str | None
    why: str | None
    dealt: tuple[Dealt, ...] = ()


class PastRound(NamedTuple):
    """A message about a round, with its entry. person: for whom an order of it was given, "" where not known."""

    journal: str
    seq: int
    body: bytes
    person: str


class PastQueries(RecordQueries):
    """The queries about the past of a table that a `Reader` answers. Methods raise StoreError."""

    def shoes_back(self, table: str, most: int, last: int = MOST, first: int = 0) -> list[PastShoe]:
        """Return the shoes of a table from a number back, the newest first."""
        with self._in_words():
            rows = self._all(self._sql.SHOES_BACK, tbl=table, first=first, last=last, most=most)
            names = [(table, str(journal), int(shoe)) for journal, shoe, *_ in rows]
            dealt = self._db.execute(*self._sql.listed(self._sql.SHOE_DEALERS, names)).fetchall() if names else []
        of = dict[tuple[str, int], list[Dealt]]()
        for journal, shoe, dealer, *counts in dealt:
            of.setdefault((journal, shoe), []).append(Dealt(dealer or "", *map(int, counts)))
        return [_shoe(each)._replace(dealt=tuple(of.get((each[0], each[1]), ()))) for each in rows]

    def alarms_in(self, table: str, journals: Iterable[str]) -> list[AlarmAt]:
        """Return begin and end of alarms in some journals, in their order."""
        names = [(table, each) for each in dict.fromkeys(journals)]
        with self._in_words():
            found = self._db.execute(*self._sql.listed(self._sql.ALARMS_IN, names)).fetchall() if names else []
        return [
            AlarmAt(str(tbl), str(id), time_of(at) or "", bool(begins), *rest)
            for tbl, id, at, begins, *rest in reversed(found)
        ]

    def rounds_of(self, table: str, journal: str, shoe: int, first: int = 0, last: int = MOST) -> list[PastRound]:
        """Return all messages about some rounds of a shoe, round by round, the newest of each last."""
        named = {"tbl": table, "journal": journal, "shoe": shoe, "first": first, "last": last, "most": MOST_MESSAGES}
        with self._in_words():
            found = self._all(self._sql.SHOE_ROUNDS, **named)
        return [PastRound(str(journal), int(seq), as_bytes(body), person) for journal, seq, body, person in found]


def _shoe(found: Any) -> PastShoe:
    each = PastShoe(*found)
    return each._replace(opened_at=time_of(each.opened_at), ended_at=time_of(each.ended_at))
