"""Translates ids and values of messages into a language."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from firmware_bridge.facts.events_of_rounds import Reason
from firmware_bridge.facts.house import Acts
from firmware_bridge.facts.wire_states import Alarm, Lamps
from firmware_bridge.games.moves import LOT
from firmware_bridge.topics.texts import Language, known, text
from firmware_bridge.topics.texts.phrases import in_words, phrase


def slot(lang: Language, name: str) -> str:
    """A slot in words: `P3` is the player's third card, `S3.2` the second hand of seat 3."""
    if name == LOT and lang != "en":
        return text(lang, "place.lot")
    letter, number = name[:1], name[1:].partition(".")[0]
    kind = known(lang, f"slot.{letter}")
    if kind is None or number.isdigit() != ("{number}" in kind):
        return name  # of a game that names its slots otherwise
    return kind.format(number=number)


def slots(lang: Language, names: str) -> str:
    """Slots in words, from a text with commas as in the reason `mark_due`."""
    return text(lang, "between.names").join(slot(lang, each.strip()) for each in names.split(","))


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


def counts(lang: Language, of: Mapping[str, int]) -> str:
    """Counts by dealer, "" where none was signed in."""
    return ", ".join(f"{dealer or text(lang, 'measured.no_dealer')} {count}" for dealer, count in of.items())


def acts(lang: Language, counted: Mapping[str, Any]) -> str:
    """The acts of a shift while one dealer dealt (facts/house.py, `Acts`); those that are missing are 0."""
    of = {**dict.fromkeys(Acts.__struct_fields__, 0), **counted}
    return text(lang, "measured.acts", name=of["dealer"] or text(lang, "measured.no_dealer"), **of)


LEASED: Final = "the reader is lent to "
"""How the alarm of a reader in calibration begins what to do: it is not lost, its texts are `reader_leased`."""


def _id(opened: Alarm) -> str:
    """The id of an alarm's texts."""
    return "reader_leased" if opened.id == "reader_lost" and opened.todo.startswith(LEASED) else opened.id


def remark(lang: Language, words: str) -> str:
    """A remark on a finished round: a flag, the name of an alarm, or words of the game."""
    if lang == "en":
        return points(lang, words)
    return phrase(lang, words) or known(lang, f"alarm.{words}") or points(lang, words)


def alarm(lang: Language, opened: Alarm) -> str:
    """The name of an alarm."""
    return known(lang, f"alarm.{_id(opened)}") or opened.id


def todo(lang: Language, opened: Alarm, policy: str) -> str:
    """What to do about an alarm in a house with this policy; the shoe's English for an unknown id."""
    id = _id(opened)
    return known(lang, f"todo.{id}_{policy}") or known(lang, f"todo.{id}") or opened.todo


def choice(lang: Language, id: str) -> str:
    """A possible decision, in words."""
    return known(lang, f"choice.{id}") or id


def values(lang: Language, opened: Alarm) -> Iterator[tuple[str, str]]:
    """Names and values of an alarm, in words; in Chinese without what the shoe waits for, which the next act says."""
    for name, value in opened.values.items():
        if name == "waits" and lang != "en":
            continue
        yield known(lang, f"value.{name}") or name, _given(lang, name, str(value))


def _given(lang: Language, name: str, value: str) -> str:
    """A value of an alarm in words; what is only diagnosed, such as an error of the system, as it came."""
    if name in ("slot", "dealt", "due"):
        return slots(lang, value)
    return known(lang, f"given.{value}") or known(lang, f"alarm.{value}") or in_words(lang, value)


def why(lang: Language, lamps: Lamps, without: Collection[str] = ()) -> Iterator[str]:
    """Reasons of the lamps except alarms and those ids; the shoe's English for an unknown id."""
    for reason, english in zip(lamps.reasons, lamps.why, strict=False):
        if reason.id not in without and known(lang, f"alarm.{reason.id}") is None:
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


def detail(lang: Language, opened: Alarm) -> str:
    """What happened: the name of an alarm, with its values, else the shoe's words, else with what it is about."""
    details = " · ".join(f"{name}: {value}" for name, value in values(lang, opened))
    details = details or _own_words(lang, opened)
    return f"{alarm(lang, opened)} ({details})" if details else alarm(lang, opened)


def _own_words(lang: Language, opened: Alarm) -> str:
    """The shoe's words about an alarm, translated; what it is about where they have no translation."""
    found = in_words(lang, opened.detail)
    is_known = lang == "en" or found != opened.detail
    return found if is_known else text(lang, "between.names").join(opened.of) or opened.detail
