"""Writes all metrics of tables, exporter and store as text for Prometheus."""

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from threading import Lock
from typing import Final, NamedTuple

from firmware_bridge import __build__, __version__
from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.metrics.families import OF_A_TABLE, Family, Kind, Labels, Sample, Value
from firmware_bridge.floor.metrics.tables import Tables
from firmware_bridge.floor.record.message import seconds
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store import Counts, Reader, RecordSize
from firmware_bridge.floor.store.condition import Heartbeat, Room, days_left
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.open import Trouble
from firmware_bridge.record.verify import Key

log = logging.getLogger(__name__)

PLAIN: Final = "text/plain; version=0.0.4; charset=utf-8"
OPEN: Final = "application/openmetrics-text; version=1.0.0; charset=utf-8"

OF_THE_EXPORTER: Final[tuple[tuple[str, Kind, str, str], ...]] = (
    ("shoe_exporter_build_info", "info", "always 1", "The exporter that runs."),
    (
        "shoe_exporter_connected",
        "gauge",
        "0 or 1",
        "Whether the broker is connected; if not, every age grows.",
    ),
    ("shoe_exporter_tables", "gauge", "tables", "Tables that are exported."),
    ("shoe_exporter_messages_total", "counter", "messages", "Messages that the exporter received."),
    ("shoe_exporter_unread_total", "counter", "messages", "Of them, those that could not be read, and were ignored."),
    ("shoe_exporter_ignored_total", "counter", "messages", "Of them, those of too many tables, which were ignored."),
    (
        "shoe_exporter_unlisted_total",
        "counter",
        "messages",
        "Of them, those in names that [tables] of floor.toml does not list, which were ignored.",
    ),
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
    ("shoe_floor_quarantine_total", "counter", "messages", "Messages that are not valid messages of a table."),
    ("shoe_floor_gaps", "gauge", "journals", "Journals with missing messages."),
    ("shoe_record_incidents", "gauge", "incidents", "Open incidents of the records of all tables."),
    ("shoe_floor_conflicts", "gauge", "messages", "Messages in conflict that nobody has closed, at most 10,000."),
    ("shoe_floor_quarantine", "gauge", "messages", "Messages in quarantine that nobody has closed, at most 10,000."),
)
"""Name, kind, unit, help."""

OF_ITS_CONDITION: Final[tuple[tuple[str, Kind, str, str], ...]] = (
    ("shoe_ingest_heartbeat_age_seconds", "gauge", "seconds", "Time since the ingest said that it runs (every 5 s)."),
    ("shoe_ingest_receives", "gauge", "0 or 1", "Whether it is connected to its broker, as it said last."),
    (
        "shoe_ingest_backlog",
        "gauge",
        "entries",
        "Entries that tables have announced and that are not stored, as it said last.",
    ),
    (
        "shoe_floor_last_commit_age_seconds",
        "gauge",
        "seconds",
        "Time since the last commit of messages; absent before the first.",
    ),
    (
        "shoe_floor_newest_message_age_seconds",
        "gauge",
        "seconds",
        "Time since the newest stored message came; absent before the first.",
    ),
    ("shoe_floor_store_bytes", "gauge", "bytes", "What the store takes on its disk."),
    (
        "shoe_floor_store_free_bytes",
        "gauge",
        "bytes",
        "What it may still take there; absent in PostgreSQL, whose server knows it.",
    ),
    (
        "shoe_floor_store_days_left",
        "gauge",
        "days",
        "Until its disk is full, at the pace of the last days; absent in the first day, and where it does not grow.",
    ),
)
"""Name, kind, unit, help."""

OF_RECORDS: Final[tuple[tuple[str, Kind, str, str], ...]] = (
    ("shoe_record_size", "gauge", "entries", "Verified entries of the table's newest record."),
    (
        "shoe_record_witnessed_size",
        "gauge",
        "entries",
        "Of them, those that a quorum of witnesses cosigned; absent where no witness is configured.",
    ),
    (
        "shoe_witness_age_seconds",
        "gauge",
        "seconds",
        "Time since the newest cosignature of the witness, on any record, by its clock; absent before its first one.",
    ),
)
"""Name, kind, unit, help."""

OF_RECEIVERS: Final[tuple[tuple[str, Kind, str, str], ...]] = (
    (
        "shoe_forward_behind",
        "gauge",
        "messages",
        "Messages that the receiver of webhooks has not taken, of all kinds; counted up to 100,000.",
    ),
    ("shoe_forward_failing", "gauge", "0 or 1", "Whether the receiver of webhooks took nothing when last tried."),
)
"""Name, kind, unit, help."""


LABELS: Final = {
    "version": 20,
    "build": 20,
    "state": 8,
    "mode": 12,
    "phase": 40,
    "id": 100,
    "severity": 8,
    "status": 8,
    "act": 8,
    "dealer": 200,
}
"""Label -> most values of each table since the start; later ones are `OTHER`."""

OTHER: Final = "other"


class Stored(NamedTuple):
    """What the store says. records: of all tables. ages: name of a witness -> seconds since its last cosignature.

    is_watched: whether witnesses are configured. enrolled: tables with an enrolled key. beats: of all ingests. room,
    days_left: of its disk. now: when it said so, in seconds since 1970. receivers: of webhooks: name -> how many
    messages it has not taken, and whether it takes nothing.
    """

    counts: Counts
    records: Sequence[RecordSize] = ()
    ages: Mapping[str, float] = {}
    is_watched: bool = False
    enrolled: Sequence[str] = ()
    beats: Sequence[Heartbeat] = ()
    room: Room | None = None
    days_left: float | None = None
    now: float = 0.0
    receivers: Mapping[str, tuple[int, bool]] = {}


def stored(reader: Reader, witnesses: Sequence[Key], now: float, receivers: Collection[str] = ()) -> Stored:
    """Return what the store says at a time, in seconds since 1970. Raises StoreError.

    witnesses, receivers: those of floor.toml.
    """
    newest: dict[str, int] = {}
    for each in reader.cosignatures() if witnesses else ():
        newest[each.witness] = max(each.at, newest.get(each.witness, 0))
    ages = {key.name: max(0.0, now - newest[key.vkey]) for key in witnesses if key.vkey in newest}
    enrolled = [each.table for each in reader.record_keys() if each.was_enrolled]
    forwarded = [each for each in reader.forwarded() if each.name in receivers] if receivers else []
    behind = {each.name: (reader.feed_behind(each.place), each.trouble != "") for each in forwarded}
    room = reader.room()
    left = days_left(room, reader.sizes(), now)
    counts, records, beats = reader.counts(), reader.records(), reader.heartbeats()
    return Stored(counts, records, ages, bool(witnesses), enrolled, beats, room, left, now, behind)


class Metric(NamedTuple):
    """A metric with its samples, labels and value each; a value of None is left out."""

    name: str
    kind: Kind
    help: str
    samples: Iterable[tuple[Labels, Value]]


class Exporter:
    """The metrics of a floor, for one thread that handles messages and others that read the metrics.

    store: what it says, None without one; raises StoreError, ConfigError if it cannot be read.
    """

    def __init__(self, tables: Tables, store: Callable[[], Stored | None]) -> None:
        self._tables, self._store, self._lock = tables, store, Lock()
        self.connected = False
        self._values: dict[tuple[str, str], set[str]] = {}
        self._trouble = Trouble(log, "the store cannot be read", "the store can be read again")

    def handle(self, deliveries: Sequence[Delivery]) -> None:
        """Update the tables by messages."""
        with self._lock:
            self._tables.handle(deliveries)

    def ask(self) -> None:
        """Ask the store which tables have an enrolled key, before any message is handled."""
        list(self._of_the_store())

    def text(self, content_type: str) -> str:
        """Return all metrics now, as text."""
        stored = list(self._of_the_store())
        with self._lock:
            metrics = [self._of_tables(each) for each in OF_A_TABLE]
            own = list(self._of_itself())
        return text([*metrics, *own, *stored], content_type)

    def _of_tables(self, family: Family) -> Metric:
        now = self._tables.now
        made: dict[tuple[tuple[str, str], ...], Value] = {}
        for name, table in self._tables:
            for labels, value in family.samples(table, now):
                key = (("table", name), *((label, self._bounded(name, label, text)) for label, text in labels.items()))
                before = made.get(key)
                made[key] = value if before is None or value is None else before + value
        return Metric(family.name, family.kind, family.help, [(dict(key), value) for key, value in made.items()])

    def _bounded(self, table: str, label: str, text: str) -> str:
        """Return the value of a label, `OTHER` where the table has had too many."""
        values = self._values.setdefault((table, label), set())
        if text not in values and len(values) >= LABELS.get(label, 1):
            return OTHER
        values.add(text)
        return text

    def _of_itself(self) -> Iterator[Metric]:
        tables = self._tables
        info: Sample = ({"version": __version__, "build": __build__}, 1)
        yield _metric(OF_THE_EXPORTER[0], [info])
        values = (self.connected, len(tables), tables.messages, tables.unread, tables.ignored, tables.listed.strangers)
        yield from map(_single, OF_THE_EXPORTER[1:], values)

    def _of_the_store(self) -> Iterator[Metric]:
        readable, *others = OF_THE_STORE
        try:
            found = self._store()
        except (StoreError, ConfigError) as error:
            self._trouble.note(str(error))
            yield _single(readable, False)
            return
        self._trouble.note("")
        if found:
            self._tables.listed.enrol(found.enrolled)
            yield _single(readable, True)
            yield from map(_single, others, found.counts)
            yield from _of_records(found)
            yield from _of_condition(found)
            behind, failing = OF_RECEIVERS
            yield _metric(behind, [({"receiver": name}, count) for name, (count, _) in found.receivers.items()])
            yield _metric(failing, [({"receiver": name}, is_so) for name, (_, is_so) in found.receivers.items()])


def wanted(accept: str) -> str:
    """Return the content type for an Accept header: OpenMetrics if it is named, else Prometheus' own text."""
    kinds = [each.replace(" ", "").lower() for each in accept.split(",")]
    is_open = any(each.startswith("application/openmetrics-text") and "version=0.0.1" not in each for each in kinds)
    return OPEN if is_open else PLAIN


def text(metrics: Iterable[Metric], content_type: str) -> str:
    """Return metrics in Prometheus' exposition format 0.0.4, or OpenMetrics 1.0.0; one without a sample is left out."""
    is_open = content_type == OPEN
    lines: list[str] = []
    for metric in metrics:
        samples = list(_samples(metric))
        if samples:
            lines += (*_head(metric, is_open), *samples)
    if is_open:
        lines.append("# EOF")
    return "\n".join(lines) + "\n"


def _of_records(found: Stored) -> Iterator[Metric]:
    size, witnessed, age = OF_RECORDS
    yield _metric(size, [({"table": each.table}, each.size) for each in found.records])
    if found.is_watched:
        yield _metric(witnessed, [({"table": each.table}, each.witnessed) for each in found.records])
    yield _metric(age, [({"witness": name}, round(each, 3)) for name, each in found.ages.items()])


def _of_condition(found: Stored) -> Iterator[Metric]:
    heard, receives, backlog, commit, message, used, free, left = OF_ITS_CONDITION
    beats = [({"ingest": each.name}, each) for each in found.beats]
    yield _metric(heard, [(name, _age(each.at, found.now)) for name, each in beats])
    yield _metric(receives, [(name, not each.fault) for name, each in beats])
    yield _metric(backlog, [(name, each.backlog) for name, each in beats])
    yield _single(commit, _age(max((each.committed_at for _, each in beats), default=""), found.now))
    yield _single(message, _age(max((each.message_at for _, each in beats), default=""), found.now))
    if found.room:
        yield _single(used, found.room.used)
        yield _single(free, found.room.free)
        yield _single(left, None if found.days_left is None else round(found.days_left, 3))


def _age(at: str, now: float) -> float | None:
    return round(max(0.0, now - seconds(at)), 3) if at else None


def _metric(row: tuple[str, Kind, str, str], samples: Iterable[Sample]) -> Metric:
    name, kind, _, help_text = row
    return Metric(name, kind, help_text, samples)


def _single(row: tuple[str, Kind, str, str], value: Value) -> Metric:
    return _metric(row, [({}, value)])


def _head(metric: Metric, is_open: bool) -> tuple[str, str]:
    name, kind, help_text = metric.name, str(metric.kind), metric.help.replace("\\", r"\\").replace("\n", r"\n")
    if is_open:  # OpenMetrics: the name of a family lacks the suffix of its samples
        name = name.removesuffix({"counter": "_total", "info": "_info"}.get(kind, ""))
        help_text = help_text.replace('"', r"\"")
    elif kind == "info":
        kind = "gauge"
    return f"# HELP {name} {help_text}", f"# TYPE {name} {kind}"


def _samples(metric: Metric) -> Iterator[str]:
    for labels, value in metric.samples:
        if value is not None:
            labels_text = ",".join(f'{name}="{_escaped(text)}"' for name, text in labels.items())
            yield (
                f"{metric.name}{{{labels_text}}} {_number(value)}" if labels_text else f"{metric.name} {_number(value)}"
            )


def _number(value: float | int | bool) -> str:
    return str(int(value)) if isinstance(value, bool) else repr(value)


def _escaped(value: str) -> str:
    """Return any text as the value of a label."""
    return value.replace("\\", r"\\").replace("\n", r"\n").replace('"', r"\"")
