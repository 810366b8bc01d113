"""All metrics of a floor at a moment: of its tables, of the exporter, and of the store."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Lock
from typing import Final

from firmware_bridge import __build__, __version__
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.metrics.families import OF_A_TABLE, Family, Kind, Sample, Value
from firmware_bridge.floor.metrics.tables import Tables
from firmware_bridge.floor.metrics.text import Metric, text
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store import Counts, StoreError

log = logging.getLogger(__name__)

OF_THE_EXPORTER: Final[tuple[tuple[str, Kind, str, str], ...]] = (
    ("shoe_exporter_build_info", "info", "always 1", "The exporter that runs."),
    ("shoe_exporter_connected", "gauge", "0 or 1", "Whether the exporter has the broker; without it every age grows."),
    ("shoe_exporter_tables", "gauge", "tables", "Tables that are exported."),
    ("shoe_exporter_messages_total", "counter", "messages", "Messages that the exporter got."),
    ("shoe_exporter_unread_total", "counter", "messages", "Of them, those that make no sense: left out."),
    ("shoe_exporter_ignored_total", "counter", "messages", "Of them, those of more tables than are kept: left out."),
)
"""Name, kind, unit, help."""

OF_THE_STORE: Final[tuple[tuple[str, Kind, str, str], ...]] = (
    ("shoe_floor_store_readable", "gauge", "0 or 1", "Whether the exporter can read the store; absent without one."),
    (
        "shoe_floor_messages_total",
        "counter",
        "messages",
        "Messages that were ever stored; after a restore or a vacuum, those that are left. Estimated in PostgreSQL.",
    ),
    ("shoe_floor_conflicts_total", "counter", "messages", "Messages that came again with other bytes."),
    ("shoe_floor_quarantine_total", "counter", "messages", "Messages that are none of a table's."),
    ("shoe_floor_gaps", "gauge", "journals", "Journals of which messages are known to be missing."),
)
"""Name, kind, unit, help."""


class Exporter:
    """What is known of a floor, for one thread that takes messages and others that ask for the metrics.

    counts: of the store, None where there is none. Raises StoreError, ConfigError where it cannot be read.
    """

    def __init__(self, tables: Tables, counts: Callable[[], Counts | None]) -> None:
        self._tables, self._counts, self._lock = tables, counts, Lock()
        self.connected = False
        self._store_fault = ""

    def take(self, deliveries: Sequence[Delivery]) -> None:
        """Note what tables said."""
        with self._lock:
            self._tables.take(deliveries)

    def text(self, content_type: str) -> str:
        """All metrics as they are now."""
        stored = list(self._of_the_store())
        with self._lock:
            metrics = [_of_tables(each, self._tables) for each in OF_A_TABLE]
            own = list(self._of_itself())
        return text([*metrics, *own, *stored], content_type)

    def _of_itself(self) -> Iterator[Metric]:
        tables = self._tables
        info: Sample = ({"version": __version__, "build": __build__}, 1)
        yield _metric(OF_THE_EXPORTER[0], [info])
        values = (self.connected, len(tables), tables.messages, tables.unread, tables.ignored)
        yield from map(_single, OF_THE_EXPORTER[1:], values)

    def _of_the_store(self) -> Iterator[Metric]:
        readable, *others = OF_THE_STORE
        try:
            counts = self._counts()
        except (StoreError, ConfigError) as error:
            self._note(str(error))
            yield _single(readable, False)
            return
        self._note("")
        if counts:
            yield _single(readable, True)
            yield from map(_single, others, counts)

    def _note(self, fault: str) -> None:
        """Log when the store cannot be read, and when it can again."""
        before, self._store_fault = self._store_fault, fault
        if fault and fault != before:
            log.warning("the store is not counted: %s", escaped(fault))
        elif before and not fault:
            log.info("the store is counted again")


def _of_tables(family: Family, tables: Tables) -> Metric:
    now = tables.now
    samples = [
        ({"table": name} | labels, value) for name, table in tables for labels, value in family.samples(table, now)
    ]
    return Metric(family.name, family.kind, family.help, samples)


def _metric(row: tuple[str, Kind, str, str], samples: Iterable[Sample]) -> Metric:
    name, kind, _, told = row
    return Metric(name, kind, told, samples)


def _single(row: tuple[str, Kind, str, str], value: Value) -> Metric:
    return _metric(row, [({}, value)])
