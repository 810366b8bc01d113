"""Draws a table's own page: cards, alarms, last rounds, health of reader and machine."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from msgspec.structs import asdict

from firmware_bridge.facts.book.measures import Health, Measure, Shown, measures, value
from firmware_bridge.facts.wire_states import Table
from firmware_bridge.floor.page import tile
from firmware_bridge.floor.page.markup import Html, Part, age, change, filled, macro, moment, number
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.topics.texts import Language, known, names, text
from firmware_bridge.topics.texts.dealer import lying

ROUNDS: Final = 12
"""Most rounds in the list."""


NEXT: Final = ("mark_due", "slot_due")
"""Reasons that say what the line of the next card or act says."""


def state(seen: Seen, needs: tile.Trouble, lang: Language, now: int, record: Html) -> Html:
    """Return the state of the table: game, shoe, round, phase. record: lines about what is wrong with its record."""
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
    """Return the open alarms, each with what to do and the possible decisions; of a silent table those it knew of."""
    opened = tile.worst_first(seen.alarms.open) if seen.alarms else []
    return _macro("alarms")(lang, seen, needs, opened, seen.table.settings.policy if seen.table else "")


def on_the_table(seen: Seen, lang: Language) -> Html:
    """Return the cards on the table by slot; a sealed one lies face down."""
    table = seen.table
    laid, shows = (lying(table), [*_shows(table, lang)]) if table is not None else ({}, [])
    return _macro("on_the_table")(lang, table, laid, shows)


def rounds(seen: Seen, lang: Language) -> Html:
    """Return the last rounds with their cards, the newest first; a hand that is not shown lies face down."""
    return _macro("rounds")(lang, seen.last_rounds(ROUNDS), seen.ahead, tile.chip_class)


def health(seen: Seen, lang: Language) -> Html:
    """Return the health of reader and machine; a value that is not measured is left out."""
    latest = seen.health
    if latest is None:
        return macro("markup.html", "muted")(text(lang, "page.nothing"))
    at = seen.health_at
    return _pairs(
        (text(lang, "health.age"), age(at) if at is not None else None),
        *((text(lang, row.id), _shown(row, latest, lang)) for row in measures() if row.shown in FORMS),
    )


def times(seen: Seen, lang: Language) -> Html:
    """Return connection, versions, and times of the latest messages."""
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


def _shows(table: Table, lang: Language) -> Iterator[str]:
    """Yield facts of the running round: the pot, or the banker."""
    shows: dict[str, Any] = table.shows if isinstance(table.shows, dict) else {}
    if "pot" in shows:
        yield text(lang, "page.pot", pot=str(shows["pot"]), stake=str(shows.get("stake", "")))
    if shows.get("banker"):
        yield text(lang, "page.bank", banker=names.slot(lang, str(shows["banker"])))


def _shown(row: Measure, health: Health, lang: Language) -> Part:
    """Return a value of health; None where it is not known."""
    now = value(health, row)
    if row.calibrated:
        return _drift(now, value(health, row, row.calibrated), lang)
    return None if now is None else FORMS[row.shown](row, now, lang) or None


def _number(row: Measure, now: float, lang: Language) -> Part:
    return number(now, *UNITS.get(row.unit, ()))


UNITS: Final[dict[str, tuple[str, int]]] = {"degrees Celsius": ("celsius", 1), "MB": ("megabyte", 0)}
"""Unit of a measure -> unit of Intl.NumberFormat, and digits."""


def _heard(row: Measure, now: str | Mapping[str, str], lang: Language) -> Part:
    if isinstance(now, str):
        return text(lang, f"heard.{now}")
    return "; ".join(f"{place} {text(lang, f'heard.{each}')}" for place, each in now.items())


FORMS: Final[dict[Shown, Callable[[Measure, Any, Language], Part]]] = {
    "number": _number,
    "flag": lambda row, now, lang: text(lang, f"{row.id}.{'yes' if now else 'no'}"),
    "names": lambda row, now, lang: ", ".join(now) or text(lang, "page.nothing"),
    "counts": lambda row, now, lang: names.counts(lang, now),
    "acts": lambda row, now, lang: "; ".join(names.acts(lang, asdict(each)) for each in now),
    "heard": _heard,
    "advice": lambda row, now, lang: macro("markup.html", "foreign")(now, lang),
}
"""How a value that is known is shown; `uptime` stands among the times, `beside` beside another one."""


def _drift(now: float | None, calibrated: float | None, lang: Language) -> Part:
    """Return a measured value, and its change since calibration."""
    if now is None:
        return text(lang, "page.unknown_value")
    if not calibrated:
        return filled(text(lang, "health.plain"), now=number(now, digits=0))
    drift = change(now / calibrated - 1)
    return filled(text(lang, "health.drift"), now=number(now, digits=0), change=drift)
