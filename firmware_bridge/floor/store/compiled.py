"""Gives each statement of a store as an engine's driver takes it."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from sqlalchemy import make_url, text
from sqlalchemy.sql import ClauseElement

from firmware_bridge.floor.store import (
    condition_statements,
    cosigned_statements,
    fact_statements,
    house_statements,
    statements,
)
from firmware_bridge.floor.store.fact_tables import kind_of
from firmware_bridge.floor.store.tables import TABLES

VALUES: Final = re.compile(r"VALUES \([^()]*\)")
BINARY: Final = ("TEXT", "BIGINT", "BOOLEAN")
"""Types of which a program has the values as such; it has the others as texts."""

TYPES: Final = {"TIMESTAMP": "TIMESTAMPTZ"}
"""Type of a column, as `kind_of` says it -> its name in a cast, where that is another."""

MODULES: Final = (statements, fact_statements, condition_statements, cosigned_statements, house_statements)


class Statement(NamedTuple):
    """A statement as a driver takes it. names: of its places for values, in order."""

    text: str
    names: tuple[str, ...]

    def values(self, named: Mapping[str, object]) -> list[object]:
        """Return values in the order of their places."""
        return [named[name] for name in self.names]


class Statements:
    """The statements for a driver: each is compiled once, when it is first used.

    driver: as in an URL of SQLAlchemy. places: what PEP 249 calls a paramstyle; a positional one. A row of values for
    an INSERT has the order of the table's columns.
    """

    def __init__(self, driver: str, places: str) -> None:
        dialect: Any = make_url(f"{driver}://").get_dialect()
        self._dialect = dialect(paramstyle=places)
        self._place = {"qmark": "?", "format": "%s"}[places]
        self._at_once: dict[str, str] = {}

    def __getattr__(self, name: str) -> Statement:
        made = self._compiled(_named(name))
        setattr(self, name, made)
        return made

    def rows_of(self, what: str, columns: Sequence[str] = ()) -> Statement:
        """Return all rows of a view, or those with a value in each of some columns."""
        where = " and ".join(f"{name} = :{name}" for name in columns) or "true"
        order = statements.ORDER[what]
        return self._compiled(text(f"select * from {self.view(what)} where {where} order by {order}"))

    def view(self, what: str) -> str:
        """Return the name of a view of what can be exported."""
        return statements.VIEWS.get(what, what)

    def exported(self, name: str, columns: Sequence[str], bounds: Collection[str]) -> Statement:
        """Return some columns of a table of facts (`fact_statements.exported`)."""
        return self._compiled(fact_statements.exported(name, columns, bounds))

    def sums(self, by: Collection[str]) -> Statement:
        """Return the sums of gaming days (`fact_statements.sums`)."""
        return self._compiled(fact_statements.sums(by))

    def asked(self, name: str) -> tuple[house_statements.Query, Statement]:
        """Return a query of `house_statements.QUERIES`, and how it is executed."""
        query = house_statements.QUERIES[name]
        return query, self._compiled(query.by_name())

    def types_of(self, name: str) -> dict[str, str]:
        """Return column of a table -> its type (`fact_tables.kind_of`)."""
        return {each.name: kind_of(each) for each in TABLES.tables[name].columns}

    def has_days(self, name: str) -> bool:
        """Return whether rows of a table of facts can be chosen by their day."""
        return bool(fact_statements.bounds_of(TABLES.tables[name]))

    def forgetting(self) -> list[Statement]:
        """Delete the facts of a journal: a statement for each table of them."""
        where = "where tbl = :tbl and journal = :journal"
        return [self._compiled(text(f"delete from {name} {where}")) for name in fact_statements.FORGOTTEN]

    def listed(self, statement: Statement, names: Sequence[tuple[object, ...]]) -> tuple[str, list[object]]:
        """Return a statement with a list of rows in the place of `$names`, and its values.

        In PostgreSQL the columns are arrays: a statement has one text for any number of rows, and is planned once.
        """
        if self._place == "?":
            row = f"({', '.join([self._place] * len(names[0]))})"
            text = statement.text.replace("$names", f"(values {', '.join([row] * len(names))})")
            return text, [value for name in names for value in name]
        arrays = _arrays("BIGINT" if isinstance(each, int) else "TEXT" for each in names[0])
        columns = ", ".join(f"column{at}" for at in range(1, len(names[0]) + 1))
        text = statement.text.replace("$names", f"(select * from {arrays} as listed ({columns}))")
        return text, by_column(names)

    def at_once(self, name: str) -> str:
        """Return an INSERT that takes each column as an array (`by_column`). Only in PostgreSQL."""
        if name not in self._at_once:
            insert = _named(name)
            kinds = (TYPES.get(kind := kind_of(each), kind) for each in insert.table.columns)
            self._at_once[name] = VALUES.sub(f"SELECT * FROM {_arrays(kinds)}", getattr(self, name).text)
        return self._at_once[name]

    def _compiled(self, statement: ClauseElement) -> Statement:
        made: Any = statement.compile(dialect=self._dialect)
        return Statement(str(made), tuple(made.positiontup))


def by_column(rows: Sequence[Sequence[object]]) -> list[object]:
    """Return the columns of rows, each as a list."""
    return [list(column) for column in zip(*rows, strict=True)]


def _named(name: str) -> Any:
    """Return the statement of a name. Raises AttributeError."""
    found = next((found for each in MODULES if (found := getattr(each, name, None)) is not None), None)
    if not isinstance(found, ClauseElement):
        raise AttributeError(name)
    return found


def _arrays(kinds: Iterable[str]) -> str:
    """Return the rows of arrays, each with the values of a column; psycopg takes long to write an array as text."""
    casts = (f"{kind}[]" if kind in BINARY else f"TEXT[]::{kind}[]" for kind in kinds)
    return f"unnest({', '.join(f'%b::{cast}' for cast in casts)})"
