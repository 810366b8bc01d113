"""Exports facts of a store: some columns of a table, of some days, or what was changed after a cursor."""

from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import date, timedelta
from functools import lru_cache
from operator import itemgetter
from typing import Any, Final, NamedTuple

from firmware_bridge.errors import BridgeError
from firmware_bridge.floor.facts.rows import nets_of
from firmware_bridge.floor.facts.written import BET, Column, Kind, Written
from firmware_bridge.floor.store.fact_queries import FactQueries
from firmware_bridge.floor.store.facts import time_of

KINDS: Final[dict[str, Kind]] = {
    "TEXT": "text",
    "BIGINT": "integer",
    "TIMESTAMP": "time",
    "JSON": "json",
    "BOOLEAN": "bool",
}
"""Type of a column in PostgreSQL -> kind of what is exported of it."""


ROUNDS: Final = "fact_round"


class NotExported(BridgeError, ValueError):
    """A column, bound or cursor that a table of facts does not have."""


class Wanted(NamedTuple):
    """What is exported of a table of facts.

    columns: all where there are none. since, until: gaming days, or days in UTC in a table that has none; "" for no
    bound. after: rounds with a higher `changed`. is_flat: a column for each bet in place of `bets`.
    """

    name: str
    columns: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    table: str | None = None
    journal: str | None = None
    after: int | None = None
    is_flat: bool = False


class FactExports(FactQueries):
    """The exports of facts from a `Store`. Methods raise StoreError, NotExported."""

    @contextmanager
    def facts(self, wanted: Wanted) -> Iterator[Written]:
        """Yield an export; all of it is of one moment."""
        kinds = self._kinds(wanted)
        with self._snapshot():
            change = self.last_change()
            if (wanted.after or 0) > change:
                what = f"the cursor {wanted.after} is ahead of this store, whose last change is {change}"
                raise NotExported(what, "it is of another store, or of this one before a restore: begin with --after 0")
            names = list(wanted.columns or kinds)
            if wanted.is_flat and wanted.name == ROUNDS and "bets" in names:
                at = names.index("bets")
                names[at : at + 1] = [each for each in self._bets(wanted) if each not in names]
            columns = [Column(each, "net" if each.startswith(BET) else kinds[each]) for each in names]
            yield Written(columns, self._values(wanted, columns), change)

    def _kinds(self, wanted: Wanted) -> dict[str, Kind]:
        """Return column of the table -> its kind. Raises NotExported for what the table does not have."""
        kinds = {name: KINDS[kind] for name, kind in self._sql.types_of(wanted.name).items()}
        is_round = wanted.name == ROUNDS
        if wrong := [each for each in wanted.columns if each not in kinds and not (is_round and each.startswith(BET))]:
            raise NotExported(f"{wanted.name} has no column {wrong[0]}", f"choose of {', '.join(kinds)}")
        if wanted.after is not None and not is_round:
            raise NotExported(f"{wanted.name} has no cursor", f"only {ROUNDS} has one")
        for name, value in {"tbl": wanted.table, "journal": wanted.journal}.items():
            if value is not None and name not in kinds:
                raise NotExported(f"{wanted.name} has no {name}", "export all of it")
        if (wanted.since or wanted.until) and not self._sql.has_days(wanted.name):
            raise NotExported(f"{wanted.name} has no day", "export all of it")
        return kinds

    def _bets(self, wanted: Wanted) -> list[str]:
        """Return a column for each bet of the rounds that are exported."""
        found: set[str] = set()
        for (text,) in self._found(wanted, ["bets"]):
            if text:
                found.update(nets_of(text))
        return [BET + each for each in sorted(found)]

    def _values(self, wanted: Wanted, columns: Sequence[Column]) -> Iterator[tuple[object, ...]]:
        """Yield the rows of some columns."""
        real = [each for each in columns if each.kind != "net"]
        nets = [each.name.removeprefix(BET) for each in columns if each.kind == "net"]
        if not nets:
            yield from self._plain(self._found(wanted, [each.name for each in real]), real)
            return
        order = [*(each.name for each in real), *(BET + each for each in nets)]
        pick = _picked([order.index(each.name) for each in columns])

        @lru_cache(4096)
        def of_bets(text: str | None) -> tuple[int | None, ...]:
            found = nets_of(text) if text else {}
            return tuple(found.get(each) for each in nets)

        found = self._found(wanted, [*(each.name for each in real), "bets"])
        for row in self._plain(found, real):
            yield pick((*row[:-1], *of_bets(row[-1])))

    def _plain(self, rows: Iterator[tuple[Any, ...]], columns: Sequence[Column]) -> Iterator[tuple[Any, ...]]:
        """Yield rows with the same values from every engine."""
        odd = [
            (at, time_of if each.kind == "time" else _truth)
            for at, each in enumerate(columns)
            if each.kind in ("time", "bool")
        ]
        for row in rows:
            values = list(row)
            for at, plain in odd:
                values[at] = plain(values[at])
            yield tuple(values)

    def _found(self, wanted: Wanted, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        given = {
            "since": wanted.since,
            "until": wanted.until,
            "tbl": wanted.table,
            "journal": wanted.journal,
            "after": wanted.after,
        }
        bounds = {name: value for name, value in given.items() if value not in (None, "")}
        statement = self._sql.exported(wanted.name, columns, list(bounds))
        bounds |= {"since_at": f"{wanted.since}T00:00:00.000Z", "until_at": f"{_next(wanted.until)}T00:00:00.000Z"}
        return self._stream(statement.text, statement.values(bounds))

    @abstractmethod
    def _stream(self, query: str, values: list[object]) -> Iterator[tuple[Any, ...]]:
        """Yield the rows of a query as they come."""

    @abstractmethod
    def _snapshot(self) -> AbstractContextManager[Any]:
        """Return a context in which all queries see the store as it is at one moment."""


def _picked(places: Sequence[int]) -> Callable[[Any], tuple[object, ...]]:
    pick = itemgetter(*places)
    return pick if len(places) > 1 else lambda values: (pick(values),)


def _next(day: str) -> str:
    return (date.fromisoformat(day) + timedelta(1)).isoformat() if day else ""


def _truth(value: Any) -> bool | None:
    return None if value is None else bool(value)
