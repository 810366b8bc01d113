"""Whether the values of an alarm are those of its row in the book."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from firmware_bridge.facts.book import alarms, failures
from firmware_bridge.facts.book.alarms import values_of
from firmware_bridge.facts.book.refusals import PHRASES, REFUSALS, Kind, Phrase, Values
from firmware_bridge.facts.events import AnyEvent, Irregular

TEXTS: Final = frozenset[Kind](["word", "slot", "given", "person", "prompt"])


def unfit(id: str, values: Mapping[str, Any]) -> list[str]:
    """The values that are in no row of the alarm, or of another kind."""
    return _unfit(values_of(id), values)


def assert_fit(events: Iterable[AnyEvent]) -> None:
    """Raises AssertionError for an irregularity with other values than its row."""
    wrong = {each.id: unfit(each.id, each.values) for each in events if isinstance(each, Irregular)}
    assert not any(wrong.values()), wrong


def _unfit(row: Values, values: Mapping[str, Any]) -> list[str]:
    return [name for name, value in values.items() if name not in row or not _is(row[name], value)]


def _is(kind: Kind, value: Any) -> bool:
    match kind:
        case "number":
            return isinstance(value, int)
        case "list":
            return isinstance(value, tuple) and all(isinstance(each, str) for each in value)
        case "phrase":
            return isinstance(value, str) or _is_phrase(value)
        case "failure":
            return isinstance(value, str) or _is_of(failures.ROWS, value)
        case "failures":
            return isinstance(value, tuple) and all(_is("failure", each) for each in value)
        case "clauses":
            return isinstance(value, tuple) and all(map(_is_phrase, value))
    return kind in TEXTS and isinstance(value, str)


def _is_phrase(value: Any) -> bool:
    return _is_of(REFUSALS | PHRASES | alarms.PHRASES, value)


def _is_of(rows: Mapping[str, Values], value: Any) -> bool:
    row = rows.get(value.code) if isinstance(value, Phrase) else None
    return row is not None and set(row) == set(value.values)
