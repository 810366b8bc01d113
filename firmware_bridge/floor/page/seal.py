"""Draws how the record of a table stands: a seal on its tile, a section on its own page."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, Literal

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.latest import milliseconds
from firmware_bridge.floor.page.markup import Html, Part, age, filled, foreign, joined, moment, number, pairs, tag
from firmware_bridge.floor.page.records import Sealed
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.floor.record.state import Log
from firmware_bridge.floor.verified.standing import Standing, Watching
from firmware_bridge.record import qr
from firmware_bridge.record.verify import Key, Refused, parse_vkey
from firmware_bridge.topics.texts import Language, text

Kind = Literal["none", "off", "signed", "witnessed", "unknown"]

SIGNS: Final[dict[Kind, str]] = {"none": "–", "off": "▲", "signed": "✎", "witnessed": "✓", "unknown": "?"}

LISTED: Final = 8
"""Most incidents of a table's page, the newest ones; their count is named above them."""

MINUTES_S: Final = 600.0
"""Length from which a window is shown in minutes."""


def seal(seen: Seen, record: Sealed, watching: Watching, lang: Language) -> Html:
    """How the record of a table stands, in a line, and what is wrong with it; empty where the page has no store."""
    if record.fault == "no_store":
        return Html("")
    kind, words = _state(seen, record, watching, lang)
    sign = tag("span", SIGNS[kind], aria_hidden="true")
    class_ = f"seal is-{kind}" if not record.delay else "seal"
    return joined(tag("p", sign, " ", words, class_=class_), *_below(record, lang), *open_incidents(record, lang))


def record(seen: Seen, record: Sealed, watching: Watching, lang: Language) -> Html:
    """The record on a table's own page: key, sizes, witnesses, incidents, newest note."""
    if record.fault:
        return tag("p", text(lang, f"record.{record.fault}"), class_="muted")
    facts = [seal(seen, record, watching, lang)]
    if record.standing and record.standing.log:
        facts.append(pairs(*_sizes(record, watching, lang)))
        facts.append(tag("div", pairs(*_names(record.standing.log, lang)), class_="names"))
        if watching.keys:
            facts.append(_witnesses(record.standing, watching.keys, lang))
    return tag(
        "div", tag("div", *facts, *_incidents(record, lang), class_="facts"), *_note(record, lang), class_="record"
    )


def open_incidents(record: Sealed, lang: Language) -> Iterator[Html]:
    """A line with the count of open incidents, if there are any."""
    if record.incidents:
        words = text(lang, "record.incidents", count=record.incidents)
        yield tag("p", tag("span", "■", aria_hidden="true"), " ", words, class_="seal is-overdue")


@lru_cache(512)
def code(note: str, name: str) -> Html:
    """A note as a QR code. name: for screen readers."""
    return tag("div", Html(qr.svg(note)), class_="qr", role="img", aria_label=name)


def _state(seen: Seen, record: Sealed, watching: Watching, lang: Language) -> tuple[Kind, Part]:
    standing = record.standing
    if record.fault:
        return "unknown", text(lang, f"record.{record.fault}")
    if standing is None or standing.log is None:
        at = _at(standing.seen) if standing else None
        return "none", filled(text(lang, "record.not_enrolled"), at=at) if at else text(lang, "record.none")
    if seen.status and seen.status.state == "online" and not seen.status.record.signed:
        return "off", text(lang, "record.off")
    if standing.seen:
        return "signed", filled(text(lang, "record.seen"), at=_at(standing.seen))
    if not watching.keys:
        return "signed", text(lang, "record.alone")
    if not standing.log.witnessed:
        return "signed", text(lang, "record.waits")
    return "witnessed", _witnessed(seen, standing, watching.keys, lang)


def _witnessed(seen: Seen, standing: Standing, keys: tuple[Key, ...], lang: Language) -> Html:
    """How far a record is witnessed; a round of another shoe than the present one is named with its shoe."""
    log = standing.log
    size = log.witnessed if log else 0
    lines = [standing.cosigned.get(each.vkey) for each in keys]
    values: dict[str, Part] = {
        "age": _age(standing.witnessed_at),
        "count": str(sum(1 for each in lines if each and each.size >= size)),
        "all": str(len(keys)),
    }
    if standing.round is None:
        return filled(text(lang, "record.entry"), entry=number(size), **values)
    shoe, last = standing.round
    named = str(last) if shoe == seen.shoe else f"{shoe}–{last}"
    return filled(text(lang, "record.round"), round=named, **values)


def _below(record: Sealed, lang: Language) -> Iterator[Html]:
    """Since when a quorum is missing, once it is late."""
    if record.delay and record.standing:
        words = filled(text(lang, "record.below"), at=_at(record.standing.waits_since))
        yield tag("p", tag("span", "▲", aria_hidden="true"), " ", words, class_=f"seal is-{record.delay}")


def _sizes(record: Sealed, watching: Watching, lang: Language) -> Iterator[tuple[str, Part]]:
    log = record.standing.log if record.standing else None
    if log is None:
        return
    yield text(lang, "record.size"), number(log.size)
    if watching.keys:
        yield text(lang, "record.witnessed"), number(log.witnessed)
        yield text(lang, "record.longest"), _length(record.longest)
        if watching.liars is not None:
            liars = text(lang, "record.of", count=watching.liars, all=len(watching.keys))
            yield text(lang, "record.liars"), liars


def _names(log: Log, lang: Language) -> Iterator[tuple[str, Part]]:
    yield text(lang, "record.fingerprint"), tag("code", _fingerprint(log.vkey))
    yield text(lang, "record.origin"), tag("code", escaped(log.origin))
    yield text(lang, "record.key"), tag("code", escaped(log.vkey))


def _witnesses(standing: Standing, keys: tuple[Key, ...], lang: Language) -> Html:
    heads = [tag("th", text(lang, f"record.{key}"), scope="col") for key in ("witness", "cosigned", "size")]
    rows = []
    for key in keys:
        line = standing.cosigned.get(key.vkey)
        when = age(1000 * line.at) if line else text(lang, "record.never")
        size = number(line.size) if line else None
        rows.append(tag("tr", tag("th", escaped(key.name), scope="row"), tag("td", when), tag("td", size)))
    return tag("table", tag("thead", tag("tr", *heads)), tag("tbody", *rows))


def _incidents(record: Sealed, lang: Language) -> Iterator[Html]:
    """The newest open incidents; what each means is in docs/incidents.md, by its kind."""
    if not record.standing or not record.incidents:
        return
    rows = [
        tag("li", tag("strong", tag("code", each.kind)), " ", _at(each.at), " ", foreign(each.text, lang),
            class_="alarm blocks")
        for each in record.standing.incidents[: -LISTED - 1 : -1]
    ]  # fmt: skip
    yield tag("ul", *rows, class_="alarms")


def _note(record: Sealed, lang: Language) -> Iterator[Html]:
    if record.note:
        words = text(lang, "record.note")
        yield tag("div", code(record.note, words), tag("p", words, class_="muted"), class_="note")


def _length(window: float | None) -> Part:
    if window is None:
        return None
    return number(window, "second") if window < MINUTES_S else number(window / 60, "minute")


def _fingerprint(vkey: str) -> str:
    try:
        return parse_vkey(vkey).fingerprint
    except Refused:
        return ""


def _at(at: str) -> Part:
    found = milliseconds(at)
    return None if found is None else moment(found)


def _age(at: str) -> Part:
    found = milliseconds(at)
    return None if found is None else age(found)
