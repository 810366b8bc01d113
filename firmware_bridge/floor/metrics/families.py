"""All metrics of a table: name, unit, meaning, and source."""

from collections.abc import Callable, Iterator
from typing import Final, Literal, NamedTuple, get_args

from msgspec import UNSET

from firmware_bridge.facts.orders import LONGEST_NAME
from firmware_bridge.facts.wire_states import Health, Status
from firmware_bridge.floor.metrics.tables import RoundStatus, Table

Kind = Literal["gauge", "counter", "info"]
Value = float | int | bool | None
Labels = dict[str, str]
Sample = tuple[Labels, Value]

BRIGHTEST: Final = 255
"""Light level, and quality, of a reader that is exported as 1."""


class Family(NamedTuple):
    """A metric. unit: in words. samples: labels and values of a table at a time, in ms; None is left out."""

    name: str
    kind: Kind
    unit: str
    help: str
    samples: Callable[[Table, int], Iterator[Sample]]


def _health(name: str, kind: Kind, unit: str, text: str, value: Callable[[Health], Value]) -> Family:
    """A metric from a value of `health`."""

    def samples(table: Table, now: int) -> Iterator[Sample]:
        if table.health:
            yield {}, value(table.health)

    return Family(name, kind, unit, text, samples)


def _status(name: str, kind: Kind, unit: str, text: str, found: Callable[[Status], tuple[Labels, Value]]) -> Family:
    """A metric from a value of `status`, with labels."""

    def samples(table: Table, now: int) -> Iterator[Sample]:
        if table.status:
            yield found(table.status)

    return Family(name, kind, unit, text, samples)


def _part(level: float | None) -> float | None:
    """A level of 0..255 as 0..1."""
    return None if level is None else round(level / BRIGHTEST, 4)


def _clock(status: Status) -> bool | None:
    return None if status.clock == "unknown" else status.clock == "synchronised"


def _age(table: Table, now: int) -> Iterator[Sample]:
    if table.health_at is not None:
        yield {}, max(0, now - table.health_at) / 1000


def _alarms(table: Table, now: int) -> Iterator[Sample]:
    for (name, severity), count in sorted((table.alarms or {}).items()):
        yield {"id": name, "severity": severity}, count


def _rounds(table: Table, now: int) -> Iterator[Sample]:
    for status in get_args(RoundStatus):
        yield {"status": status}, table.rounds[status]


def _phase(table: Table, now: int) -> Iterator[Sample]:
    if table.laid:
        yield {"phase": table.laid.phase}, 1


def _cards_left(table: Table, now: int) -> Iterator[Sample]:
    if table.laid:
        yield {}, table.laid.cards_left


MOST_DEALERS: Final = 12
"""Dealers of a table with a series of their own in a shift; the rest is added up."""

ACTS: Final = ("entered", "voided", "corrected", "cut_early", "taken_back")


def _acts(table: Table, now: int) -> Iterator[Sample]:
    """The counts of the present shift: a series for each act, also where it is 0, of each dealer."""
    found = (table.health and table.health.acts) or ()
    by_name = {each.dealer: each for each in found if len(each.dealer) <= LONGEST_NAME}
    named = sorted(by_name)[:MOST_DEALERS]
    for name in named:
        yield from (({"act": act, "dealer": name}, getattr(by_name[name], act)) for act in ACTS)
    if rest := [each for name, each in by_name.items() if name not in named]:
        yield from (({"act": act, "dealer": "(rest)"}, sum(getattr(each, act) for each in rest)) for act in ACTS)


OF_A_TABLE: Final = (
    Family(
        "shoe_health_age_seconds",
        "gauge",
        "seconds",
        "Time since the last health of the table (every 30 s).",
        _age,
    ),
    _status(
        "shoe_build_info",
        "info",
        "always 1",
        "The software of the table.",
        lambda status: ({"version": status.version, "build": status.build}, 1),
    ),
    _status(
        "shoe_state",
        "gauge",
        "always 1",
        "The state of the table: online, stopped (shut down) or lost (reported by the broker).",
        lambda status: ({"state": status.state}, 1),
    ),
    _status(
        "shoe_mode",
        "gauge",
        "always 1",
        "How much the shoe can do now: FULL, NO_BROKER, VIRTUAL_CUT, MANUAL_ENTRY, OBSERVE, NO_JOURNAL.",
        lambda status: ({"mode": status.mode or ""}, 1 if status.mode else None),
    ),
    _status(
        "shoe_clock_synchronised",
        "gauge",
        "0 or 1",
        "Whether the table's clock is synchronised with a time server; absent if unknown.",
        lambda status: ({}, _clock(status)),
    ),
    _status(
        "shoe_connections_total",
        "counter",
        "connections",
        "Connections of the table to the broker since its daemon started.",
        lambda status: ({}, status.link),
    ),
    Family("shoe_phase", "gauge", "always 1", "The phase that the table is in.", _phase),
    Family("shoe_cards_left", "gauge", "cards", "Cards left in the shoe, if known.", _cards_left),
    Family(
        "shoe_rounds_total",
        "counter",
        "messages",
        "Messages of the topic round that the exporter received, without repeats. Only the store has all.",
        _rounds,
    ),
    Family("shoe_alarm_open", "gauge", "alarms", "Open alarms of this id; absent where none is open.", _alarms),
    _health(
        "shoe_uptime_seconds", "gauge", "seconds", "Since the table's daemon started.", lambda health: health.uptime_s
    ),
    _health(
        "shoe_outbox_entries",
        "gauge",
        "entries",
        "Entries of the journal that the broker has not acknowledged, or the store does not have ([mqtt] stored).",
        lambda health: health.queue,
    ),
    _health(
        "shoe_cards_read_total",
        "counter",
        "cards",
        "Cards read since the daemon started.",
        lambda health: health.reader.reads,
    ),
    _health(
        "shoe_reads_unread_total",
        "counter",
        "cards",
        "Cards that the reader could not read, since the daemon started.",
        lambda health: health.reader.unread,
    ),
    _health(
        "shoe_frames_bad_total",
        "counter",
        "frames",
        "Damaged frames from the reader since the daemon started.",
        lambda health: health.reader.frames_bad,
    ),
    _health(
        "shoe_reader_not_understood_total",
        "counter",
        "bursts",
        "Bursts of bytes from the reader of which nothing was understood, since the daemon started.",
        lambda health: None if health.reader.not_understood is UNSET else health.reader.not_understood,
    ),
    _health(
        "shoe_read_quality_ratio",
        "gauge",
        "0 to 1",
        "Mean quality of the last reads; 1 is the best.",
        lambda health: _part(health.reader.quality),
    ),
    _health(
        "shoe_read_quality_calibrated_ratio",
        "gauge",
        "0 to 1",
        "The mean quality when the reader was calibrated.",
        lambda health: _part(health.reader.quality_calibrated),
    ),
    _health(
        "shoe_reader_lamp_ratio",
        "gauge",
        "0 to 1",
        "The light of the reader's lamp.",
        lambda health: _part(health.reader.lamp),
    ),
    _health(
        "shoe_reader_lamp_calibrated_ratio",
        "gauge",
        "0 to 1",
        "The light of the reader's lamp when it was calibrated.",
        lambda health: _part(health.reader.lamp_calibrated),
    ),
    _health(
        "shoe_reader_ambient_ratio",
        "gauge",
        "0 to 1",
        "The light that reaches the reader from outside.",
        lambda health: _part(health.reader.ambient),
    ),
    _health(
        "shoe_reader_temperature_celsius",
        "gauge",
        "degrees Celsius",
        "The temperature of the reader's board.",
        lambda health: health.reader.temperature,
    ),
    _health(
        "shoe_reader_forecast",
        "gauge",
        "0 or 1",
        "Whether the reader will soon need cleaning or a new lamp; shoe status says which.",
        lambda health: health.reader.forecast is not None,
    ),
    _health(
        "shoe_faults",
        "gauge",
        "lamps and sensors",
        "Lamps and sensors that failed their test; absent before the lamp test.",
        lambda health: None if health.faults is None else len(health.faults),
    ),
    _health(
        "shoe_orders_refused_total",
        "counter",
        "orders",
        "Orders refused because too many came by MQTT, since the daemon started.",
        lambda health: health.orders_refused,
    ),
    _health(
        "shoe_certificate_days",
        "gauge",
        "days",
        "Until the first certificate of the table's connection ends, the broker's or its own; below 0: it has ended.",
        lambda health: None if health.certificate_days is UNSET else health.certificate_days,
    ),
    _health(
        "shoe_marks_taken_back_total",
        "counter",
        "marks",
        "Marks taken back by the dealer, in the life of the table's record; the topic health counts them by dealer.",
        lambda health: None if health.unmarked is None else sum(health.unmarked.values()),
    ),
    Family(
        "shoe_shift_acts",
        "gauge",
        "acts",
        "Cards entered by hand, rounds voided, corrected, early cut cards, marks taken back: this shift, by dealer.",
        _acts,
    ),
    _health(
        "shoe_disk_free_bytes",
        "gauge",
        "bytes",
        "Free space on the disk of the journal, to the megabyte.",
        lambda health: None if health.disk_free_mb is None else health.disk_free_mb * 1_000_000,
    ),
    _health(
        "shoe_temperature_celsius",
        "gauge",
        "degrees Celsius",
        "The temperature of the Pi's processor.",
        lambda health: health.temperature,
    ),
    _health(
        "shoe_undervoltage",
        "gauge",
        "0 or 1",
        "Whether the supply is, or was since the Pi started, below 4.63 V.",
        lambda health: health.under_voltage,
    ),
)
"""All metrics of a table; each has the label `table`, and the labels of its samples."""
