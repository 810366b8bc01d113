"""Draws a table's own page: cards, alarms, last rounds, health of reader and machine."""

from collections.abc import Callable, Iterator
from typing import Any, Final

from msgspec import UNSET, Struct

from firmware_bridge.facts.wire_states import Health, ReaderHealth, Table
from firmware_bridge.floor.page import tile
from firmware_bridge.floor.page.markup import Html, Part, age, change, filled, macro, moment, number
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.topics.texts import Language, known, names, text

ROUNDS: Final = 12
"""Most rounds in the list."""


NEXT: Final = ("mark_due", "slot_due")
"""Reasons that say what the line of the next card or act says."""


def state(seen: Seen, needs: tile.Trouble, lang: Language, now: int, record: Html) -> Html:
    """The state of the table: game, shoe, round, phase. record: lines about what is wrong with its record."""
    table = seen.table
    rows: list[tuple[str, Part]] = []
    if table is not None:
        rows = [
            (text(lang, "page.phase"), tile.phase(lang, table)),
            (text(lang, "page.due"), tile.due(table, lang)),
            (text(lang, "page.why"), _why(seen, lang)),
            (text(lang, "page.dealer"), table.dealer or None),
            (text(lang, "page.per_hour"), number(seen.per_hour(now))),
            tile.cut(table, lang),
        ]
    is_last = table is not None and table.last and table.phase not in ("empty", "ended")
    place = tile.where(seen, lang)
    return _macro("state")(lang, seen, needs, place, is_last, tile.out_of_order(seen, lang), record, rows)


def alarms(seen: Seen, needs: tile.Trouble, lang: Language) -> Html:
    """The open alarms, each with what to do and the possible decisions; of a table that is silent those it knew of."""
    opened = tile.worst_first(seen.alarms.open) if seen.alarms else []
    return _macro("alarms")(lang, seen, needs, opened, seen.table.settings.policy if seen.table else "")


def on_the_table(seen: Seen, lang: Language) -> Html:
    """The cards on the table by slot; a sealed one lies face down."""
    table = seen.table
    laid, shows = (_laid(table), [*_shows(table, lang)]) if table is not None else ({}, [])
    return _macro("on_the_table")(lang, table, laid, shows)


def rounds(seen: Seen, lang: Language) -> Html:
    """The last rounds with their cards, the newest first; a hand that is not shown lies face down."""
    return _macro("rounds")(lang, seen.last_rounds(ROUNDS), seen.ahead, tile.chip_class)


def health(seen: Seen, lang: Language) -> Html:
    """The health of reader and machine; a value that is not measured is left out."""
    latest = seen.health
    if latest is None:
        return macro("markup.html", "muted")(text(lang, "page.nothing"))
    at = seen.health_at
    return _pairs(
        (text(lang, "health.age"), age(at) if at is not None else None),
        *_reader(latest.reader, lang),
        *_machine(latest, lang),
    )


def times(seen: Seen, lang: Language) -> Html:
    """Connection, versions, and times of the latest messages."""
    status, health, status_message = seen.status, seen.health, seen.messages.get("status")
    table = seen.messages.get("table")
    began = seen.health_at - health.uptime_s * 1000 if health and seen.health_at is not None else None
    return _pairs(
        (text(lang, "health.connection"), (known(lang, f"state.{status.state}") or status.state) if status else None),
        (text(lang, "health.mode"), (known(lang, f"mode.{status.mode}") or status.mode) if status else None),
        (text(lang, "health.uptime"), age(began - began % 10_000) if began is not None else None),
        (text(lang, "health.clock"), (known(lang, f"clock.{status.clock}") or status.clock) if status else None),
        (text(lang, "health.table_at"), moment(table.at) if table else None),
        (text(lang, "health.version"), status.version if status else None),
        (text(lang, "health.build"), status.build if status else None),
        (text(lang, "health.journal"), _code(status_message.head.journal) if status_message else None),
    )


def _macro(name: str) -> Callable[..., Html]:
    return macro("table_parts.html", name)


def _code(words: str) -> Html:
    return macro("markup.html", "code")(words)


def _pairs(*rows: tuple[str, Part]) -> Html:
    return macro("markup.html", "pairs")(rows)


def _why(seen: Seen, lang: Language) -> Part:
    reasons = list(names.why(lang, seen.lamps, without=NEXT)) if seen.lamps else []
    return _macro("why")(reasons) if reasons else None


def _laid(table: Table) -> dict[str, list[str | None]]:
    if isinstance(table.hands, dict) and table.hands:
        return {slot: list(faces) for slot, faces in table.hands.items()}
    laid: dict[str, list[str | None]] = {}
    for each in table.slots:
        laid.setdefault(each.slot, []).append(each.card if isinstance(each.card, str) else None)
    return laid


def _shows(table: Table, lang: Language) -> Iterator[str]:
    """Facts of the running round: the pot, or the banker."""
    shows: dict[str, Any] = table.shows if isinstance(table.shows, dict) else {}
    if "pot" in shows:
        yield text(lang, "page.pot", pot=str(shows["pot"]), stake=str(shows.get("stake", "")))
    if shows.get("banker"):
        yield text(lang, "page.bank", banker=names.slot(lang, str(shows["banker"])))


def _reader(reader: ReaderHealth, lang: Language) -> Iterator[tuple[str, Part]]:
    forms: dict[str, Part] = {
        "reads": number(reader.reads),
        "unread": number(reader.unread),
        "frames_bad": number(reader.frames_bad),
        "not_understood": None if reader.not_understood is UNSET else number(reader.not_understood),
        "heard": text(lang, f"heard.{reader.heard}") if reader.heard else None,
        "quality": _drift(reader.quality, reader.quality_calibrated, lang),
        "lamp": _drift(reader.lamp, reader.lamp_calibrated, lang),
        "ambient": number(reader.ambient),
        "temperature": number(reader.temperature, "celsius", 1),
        "forecast": macro("markup.html", "foreign")(reader.forecast, lang) if reader.forecast else None,
    }
    return _rows("reader", reader, forms, ("quality_calibrated", "lamp_calibrated"), lang)


def _machine(health: Health, lang: Language) -> Iterator[tuple[str, Part]]:
    power = (
        None if health.under_voltage is None else "health.power_low" if health.under_voltage else "health.power_fine"
    )
    pads = health.keypads or {}
    forms: dict[str, Part] = {
        "temperature": number(health.temperature, "celsius", 1),
        "under_voltage": text(lang, power) if power else None,
        "disk_free_mb": number(health.disk_free_mb, "megabyte"),
        "queue": number(health.queue),
        "faults": None if health.faults is None else ", ".join(health.faults) or text(lang, "page.nothing"),
        "unmarked": ", ".join(f"{dealer} {count}" for dealer, count in health.unmarked.items()) or None,
        "acts": "; ".join(_acts(health, lang)) or None,
        "keypads": "; ".join(f"{place} {text(lang, f'heard.{each}')}" for place, each in pads.items()) or None,
        "certificate_days": None if health.certificate_days is UNSET else number(health.certificate_days),
    }
    return _rows("health", health, forms, ("uptime_s", "reader"), lang)


def _acts(health: Health, lang: Language) -> Iterator[str]:
    """What people did by hand in this shift, a text for each dealer."""
    for each in health.acts or ():
        name = each.dealer or text(lang, "measured.no_dealer")
        counts = {act: getattr(each, act) for act in each.__struct_fields__ if act != "dealer"}
        yield text(lang, "measured.acts", name=name, **counts)


def _rows(
    section: str, measured: Struct, forms: dict[str, Part], hidden: tuple[str, ...], lang: Language
) -> Iterator[tuple[str, Part]]:
    """Rows of a Struct, each with its text `section.field`: those of `forms`, then all others as numbers."""
    others = [name for name in measured.__struct_fields__ if name not in (*forms, *hidden)]
    for name, value in (forms | {name: number(getattr(measured, name)) for name in others}).items():
        yield text(lang, f"{section}.{name}"), value


def _drift(now: float | None, calibrated: float | None, lang: Language) -> Part:
    """A measured value, and its change since calibration."""
    if now is None:
        return text(lang, "page.unknown_value")
    if not calibrated:
        return filled(text(lang, "health.plain"), now=number(now, digits=0))
    drift = change(now / calibrated - 1)
    return filled(text(lang, "health.drift"), now=number(now, digits=0), change=drift)
