"""Draws a table's own page: cards, alarms, last rounds, health of reader and machine."""

from collections.abc import Iterator
from typing import Any, Final

from msgspec import UNSET, Struct

from firmware_bridge.facts.wire_states import Alarm, Health, ReaderHealth, Table
from firmware_bridge.floor.page import tile
from firmware_bridge.floor.page.markup import (
    DOT,
    Html,
    Part,
    age,
    badge,
    cards,
    filled,
    foreign,
    hidden,
    joined,
    moment,
    number,
    pairs,
    severity,
    tag,
)
from firmware_bridge.floor.page.round_summary import RoundSummary
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.topics.texts import Language, known, names, text

ROUNDS: Final = 12
"""Most rounds in the list."""


def state(seen: Seen, needs: tile.Trouble, lang: Language, now: int, *lines: Html) -> Html:
    """The state of the table: game, shoe, round, phase. lines: what else is wrong."""
    table = seen.table
    rows: list[tuple[str, Part]] = []
    if table is not None:
        running = table.phase not in ("empty", "ended")
        last = joined(" ", tag("strong", text(lang, "page.last_round"), class_="last")) if table.last else None
        rows = [
            (text(lang, "page.game"), tile.game(lang, table.game)),
            (text(lang, "page.shoe"), seen.shoe),
            (text(lang, "page.round"), joined(table.round, last) if running else None),
            (text(lang, "page.phase"), tile.phase(lang, table)),
            (text(lang, "page.due"), tile.due(table, lang)),
            (text(lang, "page.why"), _why(seen, lang)),
            (text(lang, "page.dealer"), table.dealer or None),
            (text(lang, "page.per_hour"), number(seen.per_hour(now))),
            tile.cut(table, lang),
        ]
    silence = (*tile.silent(seen, needs, lang), *tile.out_of_order(seen, lang), *lines)
    class_ = f"state is-{needs.word}{' stale' if needs.silent else ''}"
    return tag("div", badge(lang, needs.word), *silence, pairs(*rows), class_=class_)


def alarms(seen: Seen, lang: Language) -> Html:
    """The open alarms, each with what to do and the possible decisions."""
    opened = tile.worst_first(seen.alarms.open) if seen.alarms else []
    if not opened:
        return tag("p", text(lang, "page.no_alarms"), class_="muted")
    policy = seen.table.settings.policy if seen.table else ""
    return tag("ul", *[_alarm(seen, each, policy, lang) for each in opened], class_="alarms")


def on_the_table(seen: Seen, lang: Language) -> Html:
    """The cards on the table by slot; a sealed one lies face down."""
    table = seen.table
    laid = _laid(table) if table is not None else {}
    if table is None or not laid:
        return tag("p", text(lang, "page.nothing"), class_="muted")
    rows = [
        tag(
            "div",
            tag("dt", tag("span", slot, class_="slot"), " ", names.slot(lang, slot)),
            tag("dd", cards(lang, faces)),
        )
        for slot, faces in laid.items()
    ]
    held = [tag("p", text(lang, "page.held", count=table.held))] if table.held else []
    return tag("div", tag("dl", *rows, class_="felt"), *held, *_shows(table, lang))


def rounds(seen: Seen, lang: Language) -> Html:
    """The last rounds with their cards, the newest first."""
    newest = seen.last_rounds(ROUNDS)
    if not newest:
        return tag("p", text(lang, "page.no_rounds"), class_="muted")
    heads = [tag("th", text(lang, f"page.{key}"), scope="col") for key in ("round", "time", "outcome", "hands")]
    body = tag("tbody", *[_round(each, seen, lang) for each in newest])
    caption = tag("caption", hidden(f"{text(lang, 'page.rounds')}, {text(lang, 'page.newest_first')}"))
    return tag("table", caption, tag("thead", tag("tr", *heads)), body)


def health(seen: Seen, lang: Language) -> Html:
    """The health of reader and machine; a value that is not measured is left out."""
    latest = seen.health
    if latest is None:
        return tag("p", text(lang, "page.nothing"), class_="muted")
    at = seen.health_at
    return pairs(
        (text(lang, "health.age"), age(at) if at is not None else None),
        *_reader(latest.reader, lang),
        *_machine(latest, lang),
    )


def times(seen: Seen, lang: Language) -> Html:
    """Connection, versions, and times of the latest messages."""
    status, health, status_message = seen.status, seen.health, seen.messages.get("status")
    table = seen.messages.get("table")
    began = seen.health_at - health.uptime_s * 1000 if health and seen.health_at is not None else None
    return pairs(
        (text(lang, "health.connection"), (known(lang, f"state.{status.state}") or status.state) if status else None),
        (text(lang, "health.mode"), (known(lang, f"mode.{status.mode}") or status.mode) if status else None),
        (text(lang, "health.uptime"), age(began - began % 10_000) if began is not None else None),
        (text(lang, "health.clock"), (known(lang, f"clock.{status.clock}") or status.clock) if status else None),
        (text(lang, "health.table_at"), moment(table.at) if table else None),
        (text(lang, "health.version"), status.version if status else None),
        (text(lang, "health.build"), status.build if status else None),
        (text(lang, "health.journal"), tag("code", status_message.head.journal) if status_message else None),
    )


def _why(seen: Seen, lang: Language) -> Part:
    reasons = list(names.why(lang, seen.lamps)) if seen.lamps else []
    return tag("span", *[part for each in reasons for part in (each, tag("br"))][:-1]) if reasons else None


def _alarm(seen: Seen, alarm: Alarm, policy: str, lang: Language) -> Html:
    name = names.alarm(lang, alarm)
    head = tag("h3", name, " ", tag("span", severity(lang, alarm.severity), class_="severity"))
    blocks = [DOT, text(lang, "page.blocks")] if alarm.blocks else []
    since = tag("p", text(lang, "page.since"), " ", age(alarm.since - seen.ahead), *blocks)
    about = list(names.values(lang, alarm))
    detail: list[Html] = (
        [tag("p", ", ".join(f"{key}: {value}" for key, value in about), class_="muted")] if about else []
    )
    if alarm.detail and (lang == "en" or not about):
        detail = [tag("p", foreign(alarm.detail, lang), class_="muted")]
    return tag(
        "li",
        head,
        since,
        *detail,
        tag("p", tag("strong", text(lang, "page.todo"), ": "), names.todo(lang, alarm, policy)),
        *_choices(alarm, lang),
        class_=f"alarm {'blocks' if alarm.blocks else alarm.severity}",
        data_alarm=f"{seen.name}/{alarm.id}/{alarm.since}",
        data_spoken=text(lang, "page.opened", table=seen.name, alarm=name),
    )


def _choices(alarm: Alarm, lang: Language) -> Iterator[Html]:
    if not alarm.choices:
        yield tag("p", text(lang, "page.no_choices"), class_="muted")
        return
    yield tag("p", tag("strong", text(lang, "page.choices"), ":"))
    yield tag("ul", *[tag("li", names.choice(lang, each)) for each in alarm.choices], class_="choices")
    yield tag("p", tag("code", text(lang, "page.decide", id=alarm.id)), class_="muted")


def _laid(table: Table) -> dict[str, list[str | None]]:
    if isinstance(table.hands, dict) and table.hands:
        return {slot: list(faces) for slot, faces in table.hands.items()}
    laid: dict[str, list[str | None]] = {}
    for each in table.slots:
        laid.setdefault(each.slot, []).append(each.card if isinstance(each.card, str) else None)
    return laid


def _shows(table: Table, lang: Language) -> Iterator[Html]:
    """Facts of the running round: the pot, or the banker."""
    shows: dict[str, Any] = table.shows if isinstance(table.shows, dict) else {}
    if "pot" in shows:
        yield tag("p", text(lang, "page.pot", pot=str(shows["pot"]), stake=str(shows.get("stake", ""))))
    if shows.get("banker"):
        yield tag("p", text(lang, "page.bank", banker=names.slot(lang, str(shows["banker"]))))


def _round(over: RoundSummary, seen: Seen, lang: Language) -> Html:
    flags = [text(lang, "page.corrected")] if over.status == "corrected" else []
    flags += [text(lang, "page.last_round")] if over.last else []
    chip = tag("span", names.outcome(lang, over.outcome), class_=f"chip {tile.chip_class(over.outcome)}")
    return tag(
        "tr",
        tag("th", f"{over.shoe}–{over.round}", scope="row"),
        tag("td", moment(over.at - seen.ahead)),
        tag("td", chip, *[tag("span", " ", each, class_="muted") for each in flags]),
        tag("td", *_hands(over, lang)),
    )


def _hands(over: RoundSummary, lang: Language) -> Iterator[Html]:
    """The hands with name, cards and points; a hand that is not shown lies face down."""
    if over.dealer is not None:
        faces = [face.value for face in over.dealer.cards]
        total = tag("span", over.dealer.total, class_="points")
        yield tag("span", names.hand(lang, "D"), " ", cards(lang, faces), total, class_="hand")
    for name, each in over.hands.items():
        is_shown = over.shown is None or name in over.shown
        faces = [face.value if is_shown else None for face in each.cards]
        points = names.points(lang, each.points) if is_shown else text(lang, "page.not_shown")
        words = tag("span", points, class_="points" if is_shown else "muted")
        yield tag("span", names.hand(lang, name), " ", cards(lang, faces), words, class_="hand")


def _reader(reader: ReaderHealth, lang: Language) -> Iterator[tuple[str, Part]]:
    forms: dict[str, Part] = {
        "reads": number(reader.reads),
        "unread": number(reader.unread),
        "frames_bad": number(reader.frames_bad),
        "quality": _drift(reader.quality, reader.quality_calibrated, lang),
        "lamp": _drift(reader.lamp, reader.lamp_calibrated, lang),
        "ambient": number(reader.ambient),
        "temperature": number(reader.temperature, "celsius", 1),
        "forecast": foreign(reader.forecast, lang) if reader.forecast else None,
    }
    return _rows("reader", reader, forms, ("quality_calibrated", "lamp_calibrated"), lang)


def _machine(health: Health, lang: Language) -> Iterator[tuple[str, Part]]:
    power = (
        None if health.under_voltage is None else "health.power_low" if health.under_voltage else "health.power_fine"
    )
    forms: dict[str, Part] = {
        "temperature": number(health.temperature, "celsius", 1),
        "under_voltage": text(lang, power) if power else None,
        "disk_free_mb": number(health.disk_free_mb, "megabyte"),
        "queue": number(health.queue),
        "faults": None if health.faults is None else ", ".join(health.faults) or text(lang, "page.nothing"),
        "unmarked": ", ".join(f"{dealer} {count}" for dealer, count in health.unmarked.items()) or None,
        "acts": "; ".join(_acts(health, lang)) or None,
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
    change = tag("data", f"{now / calibrated - 1:+.1%}", value=f"{now / calibrated - 1:.6g}", data_unit="change")
    return filled(text(lang, "health.drift"), now=number(now, digits=0), change=change)
