"""Draws how the record of a table stands: a seal on its tile, a section on its own page."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final, Literal

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.latest import milliseconds
from firmware_bridge.floor.page.markup import Html, Part, age, filled, macro, moment, number
from firmware_bridge.floor.page.records import Sealed
from firmware_bridge.floor.page.state import Seen
from firmware_bridge.floor.record.state import Log
from firmware_bridge.floor.verified.standing import Standing, Watching
from firmware_bridge.record import qr
from firmware_bridge.record.verify import Key, Refused, parse_vkey
from firmware_bridge.topics.texts import Language, text

_Witness = tuple[str, Part, Part]
Kind = Literal["none", "off", "signed", "witnessed", "unknown"]

SIGNS: Final[dict[Kind, str]] = {"none": "–", "off": "▲", "signed": "✎", "witnessed": "✓", "unknown": "?"}

LISTED: Final = 8
"""Most incidents of a table's page, the newest ones; their count is named above them."""

MINUTES_S: Final = 600.0
"""Length from which a window is shown in minutes."""


def seal(seen: Seen, record: Sealed, watching: Watching, lang: Language) -> Html:
    """Return how a table's record stands, in a line, and what is wrong with it; empty where the page has no store."""
    if record.fault == "no_store":
        return Html("")
    kind, words = _state(seen, record, watching, lang)
    class_ = f"is-{kind}" if not record.delay else ""
    return _macro("seal")(SIGNS[kind], words, class_, [*_below(record, lang)], open_incidents(record, lang))


def record(seen: Seen, record: Sealed, watching: Watching, lang: Language) -> Html:
    """Return the record on a table's own page: key, sizes, witnesses, incidents, newest note."""
    if record.fault:
        return macro("markup.html", "muted")(text(lang, f"record.{record.fault}"))
    facts, witnesses = [seal(seen, record, watching, lang)], list[_Witness]()
    if record.standing and record.standing.log:
        facts.append(macro("markup.html", "pairs")([*_sizes(record, watching, lang)]))
        facts.append(_macro("names_of")([*_names(record.standing.log, lang)]))
        witnesses = [*_witnesses(record.standing, watching.keys, lang)]
    note = code(record.note, text(lang, "record.note")) if record.note else None
    return _macro("record")(lang, facts, witnesses, [*_listed(record)], note)


def open_incidents(record: Sealed, lang: Language) -> Html:
    """Return a line with the count of open incidents, if there are any."""
    return _macro("incidents")(lang, record.incidents)


@lru_cache(512)
def code(note: str, name: str) -> Html:
    """Return a note as a QR code. name: for screen readers."""
    return _macro("qr")(Html(qr.svg(note)), name)


def _macro(name: str) -> Callable[..., Html]:
    return macro("record_parts.html", name)


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
    """Return how far a record is witnessed; a round of another shoe than the present one is named with its shoe."""
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


def _below(record: Sealed, lang: Language) -> Iterator[tuple[str, Html]]:
    """Yield how late a quorum is, and since when it is missing, once it is late."""
    if record.delay and record.standing:
        yield record.delay, filled(text(lang, "record.below"), at=_at(record.standing.waits_since))


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
    machine = macro("markup.html", "code")
    yield text(lang, "record.fingerprint"), machine(_fingerprint(log.vkey))
    yield text(lang, "record.origin"), machine(escaped(log.origin))
    yield text(lang, "record.key"), machine(escaped(log.vkey))


def _witnesses(standing: Standing, keys: tuple[Key, ...], lang: Language) -> Iterator[_Witness]:
    """Yield the name of each witness, when it cosigned last, and how many entries."""
    for key in keys:
        line = standing.cosigned.get(key.vkey)
        when = age(1000 * line.at) if line else text(lang, "record.never")
        yield escaped(key.name), when, number(line.size) if line else None


def _listed(record: Sealed) -> Iterator[tuple[str, Part, str]]:
    """Yield kind, time and words of the newest open incidents; what each means is in docs/incidents.md, by its kind."""
    if record.standing:
        for each in record.standing.incidents[: -LISTED - 1 : -1]:
            yield each.kind, _at(each.at), each.text


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
