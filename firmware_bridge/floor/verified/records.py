"""The records of all tables: loads each when its first message comes, and collects what a batch changed."""

from collections.abc import Callable, Mapping
from math import inf
from typing import Final, NamedTuple

from firmware_bridge.client.chain import Place
from firmware_bridge.facts.wire_states import Alarms, Record
from firmware_bridge.floor.record.message import Row
from firmware_bridge.floor.record.state import Changes, Found, Kind, TrustedKey
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.verified.table import TableRecord
from firmware_bridge.topics.texts.alarms import what

KEYS_S: Final = 5.0
"""Time between two looks for keys that were enrolled or revoked."""

AGAIN_S: Final = 30.0
"""Time after which entries that did not follow are read from the store again."""

PAGES: Final = 3
"""Most fetches of a table's entries from the store in one look."""

QUOTA_MB: Final = 64
"""Megabytes of messages that wait for a checkpoint, for each table."""


ALARMS: Final[dict[str, Kind]] = {
    "record_foreign": "foreign",
    "record_other_pi": "other_pi",
    "record_differs": "two_heads",
    "record_rolled_back": "two_heads",
}
"""Alarm of a table -> kind of the incident that it is here."""


class Limits(NamedTuple):
    """What `[tables]` of floor.toml sets for a table."""

    hours: str | None = None
    pending_mb: int = QUOTA_MB


class Collected(NamedTuple):
    """What the records changed: rows to store as messages, rows that count as complete, and all else."""

    rows: list[Row]
    chained: list[Row]
    changes: Changes


class Records:
    """The records of all tables. hide: replaces names in rows that are stored. limits: of tables."""

    def __init__(
        self, store: Store, hide: Callable[[Row], Row] = lambda row: row, limits: Mapping[str, Limits] | None = None
    ) -> None:
        self._store, self._hide, self._limits = store, hide, limits or {}
        self._tables: dict[str, TableRecord] = {}
        self._touched: dict[str, TableRecord] = {}
        self._keys: list[TrustedKey] = []
        self._looked = -inf
        self._again: dict[str, float] = {}
        self._behind = set[str]()  # tables that say to have fewer entries of their record than verified

    @property
    def enrolled(self) -> set[str]:
        """The tables with an enrolled key."""
        return {each.table for each in self._keys if each.was_enrolled}

    def add(self, row: Row) -> None:
        """Handle a message, before it is stored."""
        self._of(row.table).add(row)

    def heard(self, table: str, record: Record) -> None:
        """Handle what a status says of a table's record."""
        if record.key is not None:
            (known := self._of(table)).heard(record)
            root = known.root()
            is_behind = root is not None and record.origin == root.origin and record.size < root.size
            (self._behind.add if is_behind else self._behind.discard)(table)

    def alarmed(self, table: str, journal: str, alarms: Alarms) -> None:
        """Handle the alarms of a table: those of its record are incidents, one of each in a journal."""
        for each in alarms.open:
            if kind := ALARMS.get(each.id):
                text = f"the table says: {what('en', each.id, each.values)}"
                self._of(table).incident(Found(kind, f"{journal} {each.id}", text))

    def stored(self, table: str, journal: str, whole: int) -> tuple[Place, str, str]:
        """Return the entry to name in `stored` (the last verified if none is whole), its head, and newest checkpoint.

        "" for a head that is not known, and for a checkpoint where none verified, or it verified this very entry and
        the table has no fewer.
        """
        if (known := self._tables.get(table)) is None:
            return Place(journal, whole), "", ""
        (place, head), root = known.stored(journal, whole), known.root()
        if root is None or (root.place == place and table not in self._behind):
            return place, head, ""
        return (place, head, root.note) if place.seq else (root.place, root.head, root.note)

    def tick(self, now_s: float, *, is_behind: bool = False) -> None:
        """Look for new keys, for entries in the store that follow now, and for rounds without an event.

        is_behind: whether the ingest lacks much of what tables have sent.
        """
        if now_s - self._looked >= KEYS_S:
            self._looked = now_s
            self._renew()
        for name, table in tuple(self._tables.items()):
            for found in table.rounds.due(now_s, is_behind=is_behind):
                self._of(name).incident(found)
            if table.chain.is_behind and now_s >= self._again.get(name, -inf):
                self._touched[name] = table
                if not all(table.load() for _ in range(PAGES)):
                    self._again[name] = now_s + AGAIN_S

    def collect(self) -> Collected:
        """Return what changed since the last call, to be committed now."""
        found = Collected([], [], Changes())
        for table in self._touched.values():
            table.finish()
            found.rows.extend(row if row.digest else self._hide(row) for row in table.verified)
            found.chained.extend(table.chained)
            _add(found.changes, table.changes)
            table.changes, table.verified, table.chained = Changes(), [], []
        self._touched = {}
        return found

    def clash(self, rows: list[Row]) -> None:
        """Record that other bytes are stored under the keys of these messages."""
        for row in rows:
            self._of(row.table).clash(row)

    def _of(self, name: str) -> TableRecord:
        table = self._tables.get(name)
        if table is None:
            limits = self._limits.get(name, Limits())
            quota = limits.pending_mb * 1_000_000
            table = self._tables[name] = TableRecord(name, self._store, self._hide, quota, limits.hours)
        self._touched[name] = table
        return table

    def _renew(self) -> None:
        """Reload the tables with changed keys; the first time, load those with an enrolled key."""
        keys = self._store.record_keys()
        before = set(self._keys)
        for name in {each.table for each in set(keys) ^ before if each.was_enrolled or before}:
            if name not in self._tables:
                self._of(name)
            elif any(each.table == name and each.was_enrolled for each in set(keys) ^ before):
                self._of(name).reload()
            self._again.pop(name, None)
        self._keys = keys


def _add(to: Changes, more: Changes) -> None:
    to.keys += more.keys
    to.logs |= more.logs
    to.leaves += more.leaves
    to.proved += more.proved
    to.pending |= more.pending
    to.settled |= more.settled
    to.evidence |= more.evidence
    to.incidents |= more.incidents
