"""All metrics of a table: name, unit, meaning, and source."""

from collections.abc import Callable, Iterator
from typing import Any, Final, Literal, NamedTuple, get_args

from firmware_bridge.facts.book.measures import Measure, Shown, measures, value
from firmware_bridge.facts.house import Acts
from firmware_bridge.facts.orders import LONGEST_NAME
from firmware_bridge.facts.wire_states import Status
from firmware_bridge.floor.metrics.tables import RoundStatus, Table

Kind = Literal["gauge", "counter", "info"]
Value = float | int | bool | None
Labels = dict[str, str]
Sample = tuple[Labels, Value]

BRIGHTEST: Final = 255
"""Light level, and quality, of a reader that is exported as 1."""

MOST_DEALERS: Final = 12
"""Dealers of a table with a series of their own in a shift; the rest is added up."""

ACTS: Final = tuple(name for name in Acts.__struct_fields__ if name != "dealer")


class Family(NamedTuple):
    """A metric. unit: in words. samples: labels and values of a table at a time, in ms; None is left out."""

    name: str
    kind: Kind
    unit: str
    help: str
    samples: Callable[[Table, int], Iterator[Sample]]


def _measured(row: Measure) -> Family:
    """Return the metric of a measure of `health`."""
    as_it_is: tuple[str, Callable[[Any], Value]] = (row.unit, lambda now: now)
    unit, in_unit = UNITS.get(row.unit, as_it_is)
    number = NUMBERS.get(row.shown, in_unit)

    def samples(table: Table, at: int) -> Iterator[Sample]:
        now = value(table.health, row) if table.health else None
        if row.shown == "acts":
            yield from _acts(now or ())
        elif now is not None or (row.shown == "advice" and table.health):
            yield {}, number(now)

    kind: Kind = "counter" if row.kind == "counter" else "gauge"
    return Family(row.metric, kind, "0 or 1" if row.kind == "flag" else unit, row.help, samples)


UNITS: Final[dict[str, tuple[str, Callable[[Any], Value]]]] = {
    "0 to 255": ("0 to 1", lambda now: round(now / BRIGHTEST, 4)),
    "MB": ("bytes", lambda now: now * 1_000_000),
}
"""Unit in the message -> unit of the metric and how it is reckoned, where it is another one."""

NUMBERS: Final[dict[Shown, Callable[[Any], Value]]] = {
    "names": len,
    "counts": lambda now: sum(now.values()),
    "advice": bool,
}
"""How a value that is no number is counted."""


def _acts(counted: tuple[Acts, ...]) -> Iterator[Sample]:
    """Yield the counts of the present shift: a series for each act, also where it is 0, of each dealer."""
    by_name = {each.dealer: each for each in counted if len(each.dealer) <= LONGEST_NAME}
    named = sorted(by_name)[:MOST_DEALERS]
    for name in named:
        yield from (({"act": act, "dealer": name}, getattr(by_name[name], act)) for act in ACTS)
    if rest := [each for name, each in by_name.items() if name not in named]:
        yield from (({"act": act, "dealer": "(rest)"}, sum(getattr(each, act) for each in rest)) for act in ACTS)


def _status(name: str, kind: Kind, unit: str, text: str, found: Callable[[Status], tuple[Labels, Value]]) -> Family:
    """Return a metric from a value of `status`, with labels."""

    def samples(table: Table, now: int) -> Iterator[Sample]:
        if table.status:
            yield found(table.status)

    return Family(name, kind, unit, text, samples)


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


ORDER: Final = (
    *("health.uptime_s", "health.queue", "reader", "health.faults", "health.orders_refused", "health.certificate_days"),
    *("health.unmarked", "health.acts", "health.disk_free_mb", "health.temperature", "health.under_voltage"),
)
"""The metrics of `health` in their order; others follow."""


def _place(row: Measure) -> int:
    """Return the place of a measure among the metrics."""
    id = "reader" if row.part == "reader" else row.id
    return ORDER.index(id) if id in ORDER else len(ORDER)


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
    *(_measured(row) for row in sorted(measures(), key=_place) if row.metric),
)
"""All metrics of a table; each has the label `table`, and the labels of its samples."""
