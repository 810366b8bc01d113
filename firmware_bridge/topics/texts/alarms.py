"""Makes the words of alarms from their ids and values: at the edge, where a person reads them."""

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

from msgspec import to_builtins
from msgspec.json import Encoder
from msgspec.structs import replace

from firmware_bridge.facts.book.alarms import VARIANTS, values_of
from firmware_bridge.facts.decoding import own_json
from firmware_bridge.facts.wire_states import Alarms
from firmware_bridge.topics.texts import Language, known
from firmware_bridge.topics.texts.refusals import given

Values = Mapping[str, Any]
"""Values of an alarm, as facts or as they are on the wire."""

NONE: Final[Values] = {}

BETWEEN: Final = " · "

BY_ITSELF: Final = frozenset(["clauses", "failure", "failures", "phrase", "phrases", "prompt"])
"""Kinds of values that say what they are: their names are not shown."""


def name(lang: Language, id: str, values: Values = NONE) -> str:
    """Return the name of an alarm; its id where this version has no text for it."""
    return known(lang, f"alarm.{_texts(id, values)}") or id


def todo(lang: Language, id: str, policy: str, values: Values = NONE) -> str:
    """Return what to do about an alarm in a house with this policy, "" where this version does not know it."""
    texts = _texts(id, values)
    return known(lang, f"todo.{texts}_{policy}") or known(lang, f"todo.{texts}") or ""


def about(lang: Language, id: str, values: Values) -> str:
    """Return the values of an alarm in words, "" for none."""
    try:
        return BETWEEN.join(f"{label}: {value}" if label else value for label, value in _parts(lang, id, values))
    except RecursionError:  # a stranger's message: phrases in phrases without end
        return ""


def what(lang: Language, id: str, values: Values) -> str:
    """Return what happened: the name of an alarm, with its values."""
    details = about(lang, id, values)
    return f"{name(lang, id, values)} ({details})" if details else name(lang, id, values)


def line(lang: Language, id: str, policy: str, values: Values) -> str:
    """Return what happened, and what to do."""
    return ": ".join(filter(None, (what(lang, id, values), todo(lang, id, policy, values))))


def worded(opened: Alarms, policy: str) -> Alarms:
    """Return the alarms with their English in `text`, for people at a terminal."""
    if not opened.open:
        return opened
    return Alarms(tuple([replace(each, text=_english(each.id, policy, _encode(each.values))) for each in opened.open]))


_encode: Final = Encoder().encode


@lru_cache(64)  # an alarm stays open for many cards
def _english(id: str, policy: str, values: bytes) -> str:
    return line("en", id, policy, _values(values))


_values: Final = own_json(dict[str, Any])


def _texts(id: str, values: Values) -> str:
    """Return the id of an alarm's texts."""
    return next((texts for (alarm, value), texts in VARIANTS.items() if alarm == id and value in values), id)


def _parts(lang: Language, id: str, values: Values) -> Iterator[tuple[str, str]]:
    """Yield the name and value, both in words; no name of a value that says what it is."""
    row, plain = values_of(id), to_builtins(values)
    for key, value in plain.items():
        kind = row.get(key, "phrase")  # of a newer table
        label = "" if kind in BY_ITSELF and key in row else known(lang, f"value.{key}") or key
        yield label, given(lang, kind, value, plain)
