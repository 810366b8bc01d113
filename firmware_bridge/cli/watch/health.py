"""Says the topic `health` in words: what is wrong first, then the reader and the machine."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from firmware_bridge.topics.texts import Language, text
from firmware_bridge.topics.texts.phrases import in_words, joined

Values = Mapping[str, Any]

DAY_S, HOUR_S, MINUTE_S = 86_400, 3_600, 60

READER: Final = (
    *("reads", "unread", "frames_bad", "not_understood", "quality", "lamp", "ambient", "temperature", "forecast"),
)
MACHINE: Final = ("uptime_s", "reader", "disk_free_mb", "temperature", "under_voltage", "queue", "faults")
OTHERS: Final = (
    *("orders_refused", "unmarked", "acts", "certificate_days", "quality_calibrated", "lamp_calibrated"),
    *("heard", "keypads"),
)
"""Values that have words of their own; another one is shown with its name."""


def health_words(health: Values, lang: Language = "en") -> str:
    """The state of reader and machine in one line, the worst first; what is not measured is left out."""
    reader = health.get("reader") or {}
    parts = [*_wrong(health, reader, lang), *_reader(reader, lang), *_machine(health, lang), *_new(health, reader)]
    return joined(lang, *parts)


def _wrong(health: Values, reader: Values, lang: Language) -> Iterator[str]:
    if health.get("under_voltage"):
        yield text(lang, "measured.under_voltage")
    if faults := health.get("faults"):
        yield text(lang, "measured.faults", names=", ".join(faults))
    if forecast := reader.get("forecast"):
        yield in_words(lang, str(forecast))
    if refused := health.get("orders_refused"):
        yield _counted(lang, refused, "measured.order_refused", "measured.orders_refused")
    if queue := health.get("queue"):
        yield _counted(lang, queue, "measured.entry_queued", "measured.entries_queued")
    if unmarked := health.get("unmarked"):
        no_dealer = text(lang, "measured.no_dealer")
        taken = ", ".join(f"{name or no_dealer} {count}" for name, count in unmarked.items())
        yield text(lang, "measured.unmarked", names=taken)
    for each in health.get("acts") or ():
        counts = {name: each.get(name, 0) for name in ("entered", "voided", "corrected", "cut_early", "taken_back")}
        yield text(lang, "measured.acts", name=each["dealer"] or text(lang, "measured.no_dealer"), **counts)


def _counted(lang: Language, count: int, one: str, several: str) -> str:
    return text(lang, one if count == 1 else several, count=count)


def _reader(reader: Values, lang: Language) -> Iterator[str]:
    if "reads" in reader:
        unread, damaged = reader.get("unread") or 0, reader.get("frames_bad") or 0
        missed = text(lang, "measured.not_read", count=unread) if unread else text(lang, "measured.all_well")
        frames = _counted(lang, damaged, "measured.frame_damaged", "measured.frames_damaged") if damaged else ""
        cards = _counted(lang, reader["reads"], "measured.card_read", "measured.cards_read")
        noise = reader.get("not_understood") or 0
        bursts = _counted(lang, noise, "measured.burst_not_understood", "measured.times_not_understood")
        yield f"{cards}{missed if reader['reads'] else ''}{frames}{bursts if noise else ''}"
    for name in ("quality", "lamp"):
        if (now := reader.get(name)) is not None:
            then = reader.get(f"{name}_calibrated")
            was = text(lang, "measured.calibrated", then=f"{then:g}") if then is not None else ""
            yield text(lang, f"measured.{name}", now=f"{now:g}") + was
    if (ambient := reader.get("ambient")) is not None:
        yield text(lang, "measured.ambient", now=ambient)
    if (warm := reader.get("temperature")) is not None:
        yield text(lang, "measured.reader_warm", now=f"{warm:g}")


def _machine(health: Values, lang: Language) -> Iterator[str]:
    if (warm := health.get("temperature")) is not None:
        yield text(lang, "measured.pi_warm", now=f"{warm:g}")
    if (free := health.get("disk_free_mb")) is not None:
        yield text(lang, "measured.disk_free", count=f"{free:,}")
    if (up := health.get("uptime_s")) is not None:
        yield text(lang, "measured.up", time=_time(up, lang))


def _time(seconds: int, lang: Language) -> str:
    days, rest = divmod(seconds, DAY_S)
    hours, rest = divmod(rest, HOUR_S)
    if days:
        return text(lang, "measured.day" if days == 1 else "measured.days", count=days, hours=hours)
    minutes = rest // MINUTE_S
    if hours:
        return text(lang, "measured.hours", count=hours, minutes=minutes)
    return text(lang, "measured.minutes", minutes=minutes)


def _new(health: Values, reader: Values) -> Iterator[str]:
    """Values that this version has no words for."""
    for values, known in ((health, MACHINE), (reader, READER)):
        for name, value in values.items():
            if name not in (*known, *OTHERS) and value not in (None, [], {}, ""):
                yield f"{name.replace('_', ' ')} {value}"
