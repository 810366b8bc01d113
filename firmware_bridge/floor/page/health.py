"""How a table's reader and machine are: quality beside what was calibrated, times and versions."""

from __future__ import annotations

from firmware_bridge.facts.wire_states import Health, ReaderHealth
from firmware_bridge.floor.page.bits import age, foreign, moment, number, pairs
from firmware_bridge.floor.page.markup import Html, Part, joined, tag
from firmware_bridge.floor.page.seen import Seen
from firmware_bridge.floor.page.texts import Language, known, text


def health(seen: Seen, lang: Language) -> Html:
    """The health of reader and machine, None where nobody measures it."""
    told = seen.health
    if told is None:
        return tag("p", text(lang, "page.nothing"), class_="muted")
    at = seen.health_at
    return pairs(
        (text(lang, "health.age"), age(at) if at is not None else None),
        *_reader(told.reader, lang),
        *_machine(told, lang),
    )


def _reader(told: ReaderHealth, lang: Language) -> tuple[tuple[str, Part], ...]:
    return (
        (text(lang, "health.reads"), number(told.reads)),
        (text(lang, "health.unread"), number(told.unread)),
        (text(lang, "health.frames_bad"), number(told.frames_bad)),
        (text(lang, "health.quality"), _drift(told.quality, told.quality_calibrated, lang)),
        (text(lang, "health.lamp"), _drift(told.lamp, told.lamp_calibrated, lang)),
        (text(lang, "health.ambient"), number(told.ambient)),
        (text(lang, "health.reader_temperature"), number(told.temperature, "celsius", 1)),
        (text(lang, "health.forecast"), foreign(told.forecast, lang) if told.forecast else None),
    )


def _machine(told: Health, lang: Language) -> tuple[tuple[str, Part], ...]:
    power = None if told.under_voltage is None else "health.power_low" if told.under_voltage else "health.power_fine"
    faults = None if told.faults is None else ", ".join(told.faults) or text(lang, "page.nothing")
    return (
        (text(lang, "health.temperature"), number(told.temperature, "celsius", 1)),
        (text(lang, "health.under_voltage"), text(lang, power) if power else None),
        (text(lang, "health.disk"), number(told.disk_free_mb, "megabyte")),
        (text(lang, "health.queue"), number(told.queue)),
        (text(lang, "health.faults"), faults),
        (text(lang, "health.orders_refused"), number(told.orders_refused)),
    )


def _drift(now: float | None, calibrated: float | None, lang: Language) -> Part:
    """A measured value, and by how much it differs from what was calibrated."""
    if now is None:
        return text(lang, "page.unknown_value")
    if not calibrated:
        return _filled(text(lang, "health.plain"), now=number(now, digits=0))
    change = tag("data", f"{now / calibrated - 1:+.1%}", value=f"{now / calibrated - 1:.6g}", data_unit="change")
    return _filled(text(lang, "health.drift"), now=number(now, digits=0), change=change)


def _filled(sentence: str, **parts: Part) -> Html:
    """A sentence with elements at the places of its values."""
    told: list[Part] = []
    for piece in sentence.split("{"):
        name, closed, rest = piece.partition("}")
        told += [parts[name], rest] if closed else [piece]
    return joined(*told)


def times(seen: Seen, lang: Language) -> Html:
    """Connection, versions, and when what was said."""
    status, health, said = seen.status, seen.health, seen.said.get("status")
    table = seen.said.get("table")
    began = seen.health_at - health.uptime_s * 1000 if health and seen.health_at is not None else None
    return pairs(
        (text(lang, "health.connection"), (known(lang, f"state.{status.state}") or status.state) if status else None),
        (text(lang, "health.mode"), (known(lang, f"mode.{status.mode}") or status.mode) if status else None),
        (text(lang, "health.uptime"), age(began - began % 10_000) if began is not None else None),
        (text(lang, "health.clock"), (known(lang, f"clock.{status.clock}") or status.clock) if status else None),
        (text(lang, "health.table_at"), moment(table.at) if table else None),
        (text(lang, "health.version"), status.version if status else None),
        (text(lang, "health.build"), status.build if status else None),
        (text(lang, "health.journal"), tag("code", said.head.journal) if said else None),
    )
