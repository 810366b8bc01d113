"""Says the topic `health` in words: what is wrong first, then the reader and the machine."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from firmware_bridge.facts.book.measures import Measure, Shown, measures
from firmware_bridge.topics.texts import Language, known, names, text
from firmware_bridge.topics.texts.phrases import in_words, joined

Values = Mapping[str, Any]

DAY_S, HOUR_S, MINUTE_S = 86_400, 3_600, 60

TROUBLE: Final = (
    *("health.under_voltage", "health.faults", "reader.forecast", "health.orders_refused", "health.queue"),
    *("health.unmarked", "health.acts"),
)
"""Measures that come first, in this order, and are left out where nothing is wrong."""

OF_READS: Final = ("reader.unread", "reader.frames_bad", "reader.not_understood")
"""Measures that stand in the sentence of `reader.reads`."""


def health_words(health: Values, lang: Language = "en") -> str:
    """Return the state of reader and machine in one line, the worst first; what is not measured is left out."""
    parts: dict[str, Values] = {"health": health, "reader": health.get("reader") or {}}
    rows = sorted(measures(), key=lambda row: TROUBLE.index(row.id) if row.id in TROUBLE else len(TROUBLE))
    return joined(lang, *[_words(row, parts[row.part], lang) for row in rows], *_new(parts))


def _words(row: Measure, part: Values, lang: Language) -> str:
    """Return a measure in words, "" for one that is not known, nothing to worry about, or said elsewhere."""
    now = part.get(row.field)
    if now is None or row.id in OF_READS or (row.id in TROUBLE and not now) or row.shown not in FORMS:
        return ""
    return _reads(part, lang) if row.id == "reader.reads" else FORMS[row.shown](row, now, part, lang)


def _sentence(row: Measure, now: str, lang: Language) -> str:
    """Return the sentence of a measure, or its label and value."""
    sentence = known(lang, f"measured.{row.id}.one") if now == "1" else None
    sentence = sentence or known(lang, f"measured.{row.id}")
    return sentence.format(now=now) if sentence else text(lang, "measured.other", name=text(lang, row.id), now=now)


def _number(row: Measure, now: float, part: Values, lang: Language) -> str:
    shown = f"{now:,}" if row.unit == "MB" else f"{now:g}" if isinstance(now, float) else str(now)
    then = part.get(row.calibrated)
    was = text(lang, "measured.calibrated", then=f"{then:g}") if then is not None else ""
    return _sentence(row, shown, lang) + was


FORMS: Final[dict[Shown, Callable[[Measure, Any, Values, Language], str]]] = {
    "number": _number,
    "flag": lambda row, now, part, lang: _sentence(row, text(lang, f"{row.id}.{'yes' if now else 'no'}"), lang),
    "names": lambda row, now, part, lang: _sentence(row, ", ".join(now), lang),
    "counts": lambda row, now, part, lang: _sentence(row, names.counts(lang, now), lang),
    "acts": lambda row, now, part, lang: joined(lang, *[names.acts(lang, each) for each in now]),
    "advice": lambda row, now, part, lang: in_words(lang, str(now)),
    "uptime": lambda row, now, part, lang: _sentence(row, _time(now, lang), lang),
}
"""How a value is said; `beside` is said with another one, and the rows of reader and keypads say what is `heard`."""


def _counted(lang: Language, count: int, one: str, several: str) -> str:
    return text(lang, one if count == 1 else several, count=count)


def _reads(reader: Values, lang: Language) -> str:
    """Return how the reader reads: cards, those that it did not read, and what was damaged or not understood."""
    unread, damaged = reader.get("unread") or 0, reader.get("frames_bad") or 0
    missed = text(lang, "measured.not_read", count=unread) if unread else text(lang, "measured.all_well")
    frames = _counted(lang, damaged, "measured.frame_damaged", "measured.frames_damaged") if damaged else ""
    cards = _counted(lang, reader["reads"], "measured.card_read", "measured.cards_read")
    noise = reader.get("not_understood") or 0
    bursts = _counted(lang, noise, "measured.burst_not_understood", "measured.times_not_understood")
    return f"{cards}{missed if reader['reads'] else ''}{frames}{bursts if noise else ''}"


def _time(seconds: int, lang: Language) -> str:
    days, rest = divmod(seconds, DAY_S)
    hours, rest = divmod(rest, HOUR_S)
    if days:
        return text(lang, "measured.day" if days == 1 else "measured.days", count=days, hours=hours)
    minutes = rest // MINUTE_S
    if hours:
        return text(lang, "measured.hours", count=hours, minutes=minutes)
    return text(lang, "measured.minutes", minutes=minutes)


def _new(parts: Mapping[str, Values]) -> Iterator[str]:
    """Yield the values that this version does not know."""
    known_ids = {"health.reader", *(row.id for row in measures())}
    for part, values in parts.items():
        for name, value in values.items():
            if f"{part}.{name}" not in known_ids and value not in (None, [], {}, ""):
                yield f"{name.replace('_', ' ')} {value}"
