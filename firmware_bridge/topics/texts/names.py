"""Translates ids and values of messages into a language."""

from collections.abc import Iterator, Mapping
from typing import Final

from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.facts.wire_states import Alarm, Lamps
from firmware_bridge.topics.texts import Language, known, text

BETWEEN: Final[dict[Language, str]] = {"en": ", ", "zh-Hant": "、", "zh-Hans": "、"}
"""Separator of a list."""


def slot(lang: Language, name: str) -> str:
    """A slot in words: `P3` is the player's third card, `S3.2` the second hand of seat 3."""
    letter, number = name[:1], name[1:].partition(".")[0]
    kind = known(lang, f"slot.{letter}")
    if kind is None or not (number.isdigit() or name == "D"):
        return name
    return kind.format(number=number)


def slots(lang: Language, names: str) -> str:
    """Slots in words, from a text with commas as in the reason `mark_due`."""
    return BETWEEN[lang].join(slot(lang, each.strip()) for each in names.split(","))


def outcome(lang: Language, id: str | None) -> str:
    """The outcome of a round in words; None for a voided one."""
    if id is None:
        return text(lang, "outcome.voided")
    if (found := known(lang, f"outcome.{id}")) is not None and "{" not in found:
        return found
    if id.startswith("dealer_"):
        return text(lang, "outcome.dealer", total=id.removeprefix("dealer_"))
    return text(lang, "outcome.seat", number=id[1:]) if id[:1] == "S" and id[1:].isdigit() else id


def short(lang: Language, id: str | None) -> str:
    """The outcome of a round in one or two letters; None for a voided one."""
    found = known(lang, f"short.{id or 'voided'}")
    return found if found is not None else (id or "").removeprefix("dealer_")


def hand(lang: Language, name: str) -> str:
    """The name of a hand."""
    return known(lang, f"hand.{name}") or slot(lang, name)


def points(lang: Language, value: str) -> str:
    """The points of a hand in words: `natural 9`, `bull-bull`."""
    return " ".join(known(lang, f"points.{word}") or word for word in value.split())


def alarm(lang: Language, opened: Alarm) -> str:
    """The name of an alarm."""
    return known(lang, f"alarm.{opened.id}") or opened.id


def todo(lang: Language, opened: Alarm, policy: str) -> str:
    """What to do about an alarm in a house with this policy; the shoe's English for an unknown id."""
    return known(lang, f"todo.{opened.id}_{policy}") or known(lang, f"todo.{opened.id}") or opened.todo


def choice(lang: Language, id: str) -> str:
    """A possible decision, in words."""
    return known(lang, f"choice.{id}") or id


def values(lang: Language, opened: Alarm) -> Iterator[tuple[str, str]]:
    """Names and values of an alarm, in words."""
    for name, value in opened.values.items():
        yield known(lang, f"value.{name}") or name, slots(lang, str(value)) if name in ("slot", "dealt") else str(value)


def why(lang: Language, lamps: Lamps) -> Iterator[str]:
    """Reasons of the lamps except alarms; the shoe's English for an unknown id."""
    for reason, english in zip(lamps.reasons, lamps.why, strict=False):
        if known(lang, f"alarm.{reason.id}") is None:
            yield reason_of(lang, reason) or english


def reason_of(lang: Language, reason: Reason) -> str | None:
    """The reason of a lamp in words; None for an unknown id."""
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
