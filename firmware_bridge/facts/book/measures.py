"""The measures of `health`, a field each: its message, metric, page, `shoe watch` and documents are read off it."""

from collections.abc import Iterator
from functools import cache
from typing import Annotated, Any, Final, Literal, NamedTuple, get_type_hints

from msgspec import UNSET, Meta, Struct, UnsetType

from firmware_bridge.facts.bounds import Line, Lines, Measured, Number, PersonText
from firmware_bridge.facts.house import MOST_COUNTED, Acts

Kind = Literal["gauge", "counter", "flag", "text"]
"""A `flag` is exported as 0 or 1; a `text` has no metric."""

Shown = Literal["number", "flag", "names", "counts", "acts", "heard", "advice", "uptime", "beside"]
"""How a value is shown: `counts` by dealer, `acts` by dealer and act, `beside` the value that it was calibrated for."""

Heard = Literal["not_heard", "understood", "not_understood", "silent"]
"""Of a reader or keypad: nothing understood yet; understood lately; speaks and is not understood; understood once."""


class Measure(NamedTuple):
    """A measure. id: `health.<field>`, `reader.<field>`: also the id of its label in the catalogue.

    metric: its name, that of a counter ends with `_total`; "" for what is no number. unit: of the value in the message,
    in words. help: of the metric. calibrated: the field of its value when the reader was calibrated, "" for none. Its
    sentence in `shoe watch` is the text `measured.<id>`, `measured.<id>.one` for 1; without them it has its label.
    """

    metric: str
    unit: str
    help: str
    shown: Shown
    calibrated: str
    id: str = ""

    @property
    def part(self) -> str:
        """`health` or `reader`."""
        return self.id.partition(".")[0]

    @property
    def field(self) -> str:
        """The name of its field in the message."""
        return self.id.partition(".")[2]

    @property
    def kind(self) -> Kind:
        """The kind of value."""
        if not self.metric:
            return "text"
        if self.shown in ("flag", "advice"):
            return "flag"
        return "counter" if self.metric.endswith("_total") else "gauge"


def measured(
    metric: str, unit: str, help: str, *, says: str = "", shown: Shown = "number", calibrated: str = ""
) -> Meta:
    """Return the row of a field with a metric. unit: "" for a flag. says: the value, where the metric is another."""
    is_named = unit in help.lower()
    described = says or (help if is_named else f"{help} Unit: {unit}.")
    return Meta(description=described, extra={"measure": Measure(metric, unit, help, shown, calibrated)})


def stated(says: str, shown: Shown) -> Meta:
    """Return the row of a field that is no number and has no metric."""
    return Meta(description=says, extra={"measure": Measure("", "", says, shown, "")})


_Count = Annotated[int, Number]


class ReaderHealth(Struct, frozen=True):
    """What is measured at the reader; None for a value that is not measured here."""

    reads: Annotated[_Count, measured("shoe_cards_read_total", "cards", "Cards read since the daemon started.")]
    unread: Annotated[
        _Count,
        measured("shoe_reads_unread_total", "cards", "Cards that the reader could not read, since the daemon started."),
    ]
    frames_bad: Annotated[
        _Count, measured("shoe_frames_bad_total", "frames", "Damaged frames from the reader since the daemon started.")
    ]
    quality: Annotated[
        Annotated[float, Measured] | None,
        measured(
            "shoe_read_quality_ratio",
            "0 to 255",
            "Mean quality of the last reads; 1 is the best.",
            says="Mean quality of the last reads; 255 is the best.",
            calibrated="quality_calibrated",
        ),
    ]
    lamp: Annotated[
        Annotated[int, Measured] | None,
        measured("shoe_reader_lamp_ratio", "0 to 255", "The light of the reader's lamp.", calibrated="lamp_calibrated"),
    ]
    ambient: Annotated[
        Annotated[int, Measured] | None,
        measured("shoe_reader_ambient_ratio", "0 to 255", "The light that reaches the reader from outside."),
    ]
    temperature: Annotated[
        Annotated[float, Measured] | None,
        measured("shoe_reader_temperature_celsius", "degrees Celsius", "The temperature of the reader's board."),
    ]
    quality_calibrated: Annotated[
        Annotated[float, Measured] | None,
        measured(
            "shoe_read_quality_calibrated_ratio",
            "0 to 255",
            "The mean quality when the reader was calibrated.",
            shown="beside",
        ),
    ]
    lamp_calibrated: Annotated[
        Annotated[float, Measured] | None,
        measured(
            "shoe_reader_lamp_calibrated_ratio",
            "0 to 255",
            "The light of the reader's lamp when it was calibrated.",
            shown="beside",
        ),
    ]
    forecast: Annotated[
        Annotated[str, Line] | None,
        measured(
            "shoe_reader_forecast",
            "",
            "Whether the reader will soon need cleaning or a new lamp; shoe status says which.",
            says="What the reader will soon need, as text; null for nothing.",
            shown="advice",
        ),
    ]
    heard: Annotated[
        Heard | UnsetType, stated("Whether the reader was understood; left out by older software.", "heard")
    ] = UNSET
    not_understood: Annotated[
        _Count | UnsetType,
        measured(
            "shoe_reader_not_understood_total",
            "bursts",
            "Bursts of bytes from the reader of which nothing was understood, since the daemon started.",
        ),
    ] = UNSET


class Health(Struct, frozen=True):
    """The topic `health`; None for a value that is not measured here."""

    uptime_s: Annotated[
        _Count, measured("shoe_uptime_seconds", "seconds", "Since the table's daemon started.", shown="uptime")
    ]
    reader: ReaderHealth
    disk_free_mb: Annotated[
        _Count | None, measured("shoe_disk_free_bytes", "MB", "Free space on the disk of the journal, to the megabyte.")
    ]
    temperature: Annotated[
        Annotated[float, Measured] | None,
        measured("shoe_temperature_celsius", "degrees Celsius", "The temperature of the Pi's processor."),
    ]
    under_voltage: Annotated[
        bool | None,
        measured(
            "shoe_undervoltage", "", "Whether the supply is, or was since the Pi started, below 4.63 V.", shown="flag"
        ),
    ]
    queue: Annotated[
        _Count,
        measured(
            "shoe_outbox_entries",
            "entries",
            "Entries of the journal that the broker has not acknowledged, or the store does not have ([mqtt] stored).",
        ),
    ]
    faults: Annotated[
        Annotated[tuple[str, ...], Lines] | None,
        measured(
            "shoe_faults",
            "lamps and sensors",
            "Lamps and sensors that failed their test; absent before the lamp test.",
            says="Lamps and sensors that failed their test; null before the lamp test.",
            shown="names",
        ),
    ]
    orders_refused: Annotated[
        _Count,
        measured(
            "shoe_orders_refused_total",
            "orders",
            "Orders refused because too many came by MQTT, since the daemon started.",
        ),
    ]
    unmarked: Annotated[
        dict[PersonText, _Count],
        measured(
            "shoe_marks_taken_back_total",
            "marks",
            "Marks taken back by the dealer, in the life of the table's record; "
            "the topic health counts them by dealer.",
            says='Dealer ("" where none is signed in) -> marks taken back while he dealt, in the life of the record.',
            shown="counts",
        ),
    ] = {}
    acts: Annotated[
        Annotated[tuple[Acts, ...], Meta(max_length=MOST_COUNTED)] | UnsetType,
        measured(
            "shoe_shift_acts",
            "acts",
            "Cards entered by hand, rounds voided, corrected, early cut cards, marks taken back: "
            "this shift, by dealer.",
            says="What was counted in the present shift, for each dealer; left out where nothing was.",
            shown="acts",
        ),
    ] = UNSET
    certificate_days: Annotated[
        int | UnsetType,
        measured(
            "shoe_certificate_days",
            "days",
            "Until the first certificate of the table's connection ends, the broker's or its own; "
            "below 0: it has ended.",
            says="Days until the first certificate of the table's connection ends, the broker's or its own; "
            "below 0: it has ended; left out without TLS.",
        ),
    ] = UNSET
    keypads: Annotated[
        dict[str, Heard] | UnsetType,
        stated("Place of a keypad -> whether it was understood; left out where there is none.", "heard"),
    ] = UNSET


ORDER: Final = (
    *("reader.reads", "reader.unread", "reader.frames_bad", "reader.not_understood", "reader.heard"),
    *("reader.quality", "reader.quality_calibrated", "reader.lamp", "reader.lamp_calibrated", "reader.ambient"),
    *("reader.temperature", "reader.forecast"),
    *("health.temperature", "health.under_voltage", "health.disk_free_mb", "health.queue", "health.faults"),
    *("health.unmarked", "health.acts", "health.keypads", "health.certificate_days", "health.orders_refused"),
)
"""Measures in the order in which people see them; others follow as they stand in the message."""


@cache
def measures() -> tuple[Measure, ...]:
    """Return all measures, in the order in which they are shown."""
    found = {row.id: row for row in (*_rows("reader", ReaderHealth), *_rows("health", Health))}
    return tuple(found[id] for id in dict.fromkeys((*ORDER, *found)))


def value(health: Health, row: Measure, field: str = "") -> Any:
    """Return the value of a measure, or of another field beside it; None where it is not known."""
    found = getattr(health.reader if row.part == "reader" else health, field or row.field)
    return None if found is UNSET else found


def _rows(part: str, kind: type[Struct]) -> Iterator[Measure]:
    """Yield the rows of a Struct, each from the annotation of its field."""
    for name, hint in get_type_hints(kind, include_extras=True).items():
        for each in getattr(hint, "__metadata__", ()):
            if isinstance(each, Meta) and each.extra:
                yield each.extra["measure"]._replace(id=f"{part}.{name}")
