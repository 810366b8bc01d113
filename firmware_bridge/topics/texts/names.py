"""Translates ids and values of messages into a language."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from msgspec import to_builtins

from firmware_bridge.facts.book import endings
from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.facts.house import Acts
from firmware_bridge.facts.wire_states import Lamps
from firmware_bridge.games.moves import LOT
from firmware_bridge.topics.texts import Language, known, text
from firmware_bridge.topics.texts.phrases import in_words, phrase


def slot(lang: Language, name: str) -> str:
    """Return a slot in words: `P3` is the player's third card, `S3.2` the second hand of seat 3."""
    if name == LOT and lang != "en":
        return text(lang, "place.lot")
    letter, number = name[:1], name[1:].partition(".")[0]
    kind = known(lang, f"slot.{letter}")
    if kind is None or number.isdigit() != ("{number}" in kind):
        return name  # of a game that names its slots otherwise
    return kind.format(number=number)


def slots(lang: Language, names: str) -> str:
    """Return slots in words, from a text with commas as in the reason `mark_due`."""
    return text(lang, "between.names").join(slot(lang, each.strip()) for each in names.split(","))


def outcome(lang: Language, id: str | None) -> str:
    """Return the outcome of a round in words; None for a voided one."""
    if id is None:
        return text(lang, "outcome.voided")
    if (found := known(lang, f"outcome.{id}")) is not None and "{" not in found:
        return found
    if id.startswith("dealer_"):
        return text(lang, "outcome.dealer", total=id.removeprefix("dealer_"))
    return text(lang, "outcome.seat", number=id[1:]) if id[:1] == "S" and id[1:].isdigit() else id


def short(lang: Language, id: str | None) -> str:
    """Return the outcome of a round in one or two letters; None for a voided one."""
    found = known(lang, f"short.{id or 'voided'}")
    return found if found is not None else (id or "").removeprefix("dealer_")


def hand(lang: Language, name: str) -> str:
    """Return the name of a hand."""
    return known(lang, f"hand.{name}") or slot(lang, name)


def points(lang: Language, value: str) -> str:
    """Return the points of a hand in words: `natural 9`, `bull-bull`."""
    return " ".join(known(lang, f"points.{word}") or word for word in value.split())


def counts(lang: Language, of: Mapping[str, int]) -> str:
    """Return the counts by dealer, "" where none was signed in."""
    return ", ".join(f"{dealer or text(lang, 'measured.no_dealer')} {count}" for dealer, count in of.items())


def acts(lang: Language, counted: Mapping[str, Any]) -> str:
    """Return the acts of a shift while one dealer dealt (facts/house.py, `Acts`); those that are missing are 0."""
    of = {**dict.fromkeys(Acts.__struct_fields__, 0), **counted}
    return text(lang, "measured.acts", name=of["dealer"] or text(lang, "measured.no_dealer"), **of)


def remark(lang: Language, words: str) -> str:
    """Return a remark on a finished round: a flag, the name of an alarm, or words of the game."""
    if lang == "en":
        return points(lang, words)
    return phrase(lang, words) or known(lang, f"alarm.{words}") or points(lang, words)


def choice(lang: Language, id: str) -> str:
    """Return a possible decision, in words."""
    return known(lang, f"choice.{id}") or id


def alarm_ended(lang: Language, code: str) -> str:
    """Return what ended an alarm, in words: a row of `endings.ALARMS`, or a decision."""
    return (known(lang, f"ending.{code}") if code in endings.ALARMS else None) or choice(lang, code)


def shoe_ended(lang: Language, code: str, alarm: str = "", by: str = "", typed: str = "") -> str:
    """Return how a shoe ended, and what a person typed with it; the code itself where this version has no text for it.

    alarm, by: values of the code's row in `endings.SHOES`, "" for none.
    """
    found = known(lang, f"ending.{code}" if by or code != "closed" else "ending.closed_by_order")
    words = found.format(by=by, alarm=known(lang, f"alarm.{alarm}") or alarm) if found else code
    return text(lang, "between.clauses").join(filter(None, (words, typed)))


def voided(lang: Language, why: Iterable[str], reasons: Iterable[Any]) -> list[str]:
    """Return why a round was voided, in words; what was typed where this version does not know the reason.

    reasons: rows of `endings.REASONS`, as facts or as on the wire.
    """
    rows = [each for each in to_builtins(tuple(reasons)) if each["id"] in endings.REASONS]
    found = [_of_void(lang, each["id"], each["values"]) for each in rows]
    return [each for each in found if each] or [*why]


def _of_void(lang: Language, id: str, values: Mapping[str, str | int]) -> str:
    alarm = str(values.get("alarm") or ("" if id == "floor" else id))
    words = known(lang, f"alarm.{alarm}") or alarm
    return text(lang, "between.clauses").join(filter(None, (words, str(values.get("says", "")))))


def given(lang: Language, words: str) -> str:
    """Return the words of the shoe, with commas between them; those without a text as they came."""
    return text(lang, "between.names").join(
        known(lang, f"given.{each}") or known(lang, f"alarm.{each}") or in_words(lang, each)
        for each in words.split(", ")
    )


def why(lang: Language, lamps: Lamps, without: Collection[str] = ()) -> Iterator[str]:
    """Yield reasons of the lamps except alarms and those ids; the shoe's English for an unknown id."""
    for reason, english in zip(lamps.reasons, lamps.why, strict=False):
        if reason.id not in without and known(lang, f"alarm.{reason.id}") is None:
            yield reason_of(lang, reason) or english


def reason_of(lang: Language, reason: Reason) -> str | None:
    """Return the reason of a lamp in words; None for an unknown id."""
    found = known(lang, f"reason.{reason.id}")
    try:
        return found.format(**_named(lang, reason.values)) if found is not None else None
    except (KeyError, IndexError):
        return None


def _named(lang: Language, given: Mapping[str, str | int]) -> dict[str, str]:
    named = {name: str(value) for name, value in given.items()}
    for name in ("slot", "from", "to"):
        if name in named:
            named[name] = slots(lang, named[name])
    if "side" in named:
        named["side"] = hand(lang, named["side"])
    return named
