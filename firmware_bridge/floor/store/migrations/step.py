"""A step of a migration, and what it is given."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

from firmware_bridge.floor.record.names import Names


class Database(Protocol):
    """A store of the format that a step begins with. All methods raise StoreError."""

    text: str
    """The type of a column of text."""

    def all(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query, with `?` for each value."""
        ...

    def write(self, statement: str, *values: object) -> int:
        """Execute a statement, with `?` for each value; return how many rows it wrote."""
        ...

    def contains(self, column: str) -> str:
        """Return the SQL condition that the bytes of a column contain a value, `?`."""
        ...

    def changing(self, *tables: str) -> AbstractContextManager[None]:
        """Return a context in which the rows of these tables may be changed: their triggers refuse it else."""
        ...


class Size(NamedTuple):
    """How much a step reads, in words, and an estimate of its time in seconds, from a measured sample."""

    rows: str
    estimate_s: float


class Step(NamedTuple):
    """From a format to the next one. names: pseudonyms, None where floor.toml has no key of them.

    text: what it does, in words. verify: raises StoreError where it cannot begin. measure: reads a sample; writes
    nothing. run: yields a line for each thing done.
    """

    text: str
    verify: Callable[[Database, Names | None], None]
    measure: Callable[[Database, Names | None], Size]
    run: Callable[[Database, Names | None], Iterator[str]]


Steps = Sequence[Step]
