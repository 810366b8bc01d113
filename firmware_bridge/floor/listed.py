"""Tells the tables of a floor from other names at its broker."""

import logging
from collections.abc import Iterable
from time import monotonic
from typing import Final

from firmware_bridge.facts.printable import escaped
from firmware_bridge.facts.wire import LONGEST
from firmware_bridge.floor.record.message import now

log = logging.getLogger(__name__)

NAMED: Final = 5
"""Most names of others that are kept, and said."""

RECENT_S: Final = 3600.0
"""How long a message in another name is shown on the page."""


class Listed:
    """The tables that there are: rows of `[tables]` and tables with an enrolled key; without a row, any.

    strangers: messages in other names so far, since the RFC 3339 time `since`. is_new: whether messages of a table
    that was enrolled later may have been counted there, until `heard`.
    """

    def __init__(self, rows: Iterable[str] = (), enrolled: Iterable[str] = ()) -> None:
        self._rows, self._enrolled = frozenset(rows), set(enrolled)
        self._names: dict[str, None] = {}
        self.strangers, self.since, self.is_new = 0, "", False
        self._last_s = 0.0

    def takes(self, table: str) -> bool:
        """Return whether there is such a table; a message in another name is counted."""
        if not self._rows or table in self._rows or table in self._enrolled:
            return True
        if not self.strangers:
            self.since = now()
            log.error("a message in the name of %s: [tables] of floor.toml does not list it", escaped(table[:LONGEST]))
        self.strangers += 1
        self._last_s = monotonic()
        if len(self._names) <= NAMED:
            self._names[table[:LONGEST]] = None
        return False

    def enrol(self, tables: Iterable[str]) -> None:
        """Add tables with an enrolled key."""
        fresh = set(tables) - self._enrolled
        self._enrolled |= fresh
        self.is_new |= bool(self.strangers and fresh - self._rows)

    def heard(self) -> bool:
        """Return whether tables are new since the last call: what is retained of them has to be asked for again."""
        was_new, self.is_new = self.is_new, False
        return was_new

    @property
    def recent(self) -> int:
        """How many messages came in other names; 0 an hour after the last one."""
        return self.strangers if monotonic() - self._last_s < RECENT_S else 0

    @property
    def text(self) -> str:
        """What came in other names, in words."""
        names = [escaped(each) for each in self._names]
        shown = ", ".join(names[:NAMED]) + (", .." if len(names) > NAMED else "")
        return f"{self.strangers} messages since {self.since} in names that [tables] does not list: {shown}"
