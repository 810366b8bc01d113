"""Checks the fields of an order; error texts for the person who gave it."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from msgspec import Struct, inspect
from msgspec.structs import fields

from firmware_bridge.facts import names
from firmware_bridge.facts.cards import HINT
from firmware_bridge.facts.orders import LONGEST_NAME, Correct, Enter
from firmware_bridge.facts.printable import REMEDY, did_you_mean, escaped, fault

ECHO: Final = 40
"""Characters of an unknown word repeated in its refusal."""

LARGEST: Final = 2**53
"""The largest number in orders."""

CALLED: Final = {
    "by": "the name",
    "why": "the reason",
    "dealer": "the dealer's name",
    "confirmed_by": "the pit boss's name",
    "second": "the second name",
}
"""Names of fields for people; other fields appear as written."""


class Mistake(NamedTuple):
    """A mistake, and what to do about it."""

    what: str
    hint: str


NOT_PLAIN: Final = Mistake("has characters that are not plain", "write only a to z, digits and signs")


def shown(word: str) -> str:
    """The beginning of a word from outside, in one line."""
    return escaped(word[:ECHO])[:ECHO]


def called(field: str) -> str:
    """The name of a field at the beginning of a sentence."""
    return CALLED.get(field, f'"{shown(field)}"')


def mistake(kind: type[Struct], given: Mapping[str, Any]) -> Mistake | None:
    """The first mistake in the fields of an order or a part of it, None if there is none; the text repeats no value."""
    known = _fields(kind)
    for name in given:
        if name not in known:
            return _unknown(kind, name, known)
    for name, (info, is_needed) in known.items():
        if name in given and (wrong := _wrong(info, given[name])):
            if kind is Correct and wrong.what.endswith(NOT_PLAIN.what):
                wrong = Mistake("has an item that is not a card", HINT)
            return Mistake(f"{called(name)} {wrong.what}", wrong.hint)
        if name not in given and is_needed:
            return Mistake(f"{called(name)} is missing", f'give "{name}"')
    return None


@cache
def _fields(kind: type[Struct]) -> dict[str, tuple[inspect.Type, bool]]:
    """Name -> type, and whether the field is required."""
    return {each.encode_name: (inspect.type_info(each.type), each.required) for each in fields(kind)}


def _unknown(kind: type[Struct], name: str, known: Mapping[str, Any]) -> Mistake:
    takes = f"its fields are {', '.join(known)}" if known else "it has no fields"
    if kind is Enter:  # the name might be a card, which is secret
        return Mistake("a field is unknown", takes)
    return Mistake(f'"{shown(name)}" is unknown', did_you_mean(name[:ECHO], known, takes))


def _wrong(info: inspect.Type, value: Any) -> Mistake | None:
    """The mistake in a value, a phrase that follows its name."""
    match info:
        case inspect.Metadata(type=kind, extra={"of": "person"}):
            unfit = None if _wrong(kind, value) else names.unfit(value, LONGEST_NAME)
            return Mistake(unfit, names.REMEDY) if unfit else _wrong(kind, value)
        case inspect.Metadata(type=kind):
            return _wrong(kind, value)
        case inspect.UnionType(types=kinds):
            found = [_wrong(each, value) for each in kinds]
            return None if None in found else found[0]
        case inspect.NoneType():
            return None if value is None else Mistake("must not be null", "leave it out")
        case inspect.StrType():
            return _wrong_text(info, value)
        case inspect.IntType(ge=low, le=high):
            is_number = isinstance(value, int) and not isinstance(value, bool)
            if not is_number or (low is not None and value < low) or (high is not None and value > high):
                return Mistake("is not a valid whole number", _between(low, high))
            return None
        case inspect.LiteralType(values=values):
            return (
                None if value in values else Mistake("is not a valid choice", f"one of: {', '.join(map(str, values))}")
            )
        case inspect.EnumType(cls=kind):
            is_one = isinstance(value, str) and value in {each.value for each in kind}
            return None if is_one else Mistake("is not a card", HINT)
        case inspect.StructType(cls=kind):
            if not isinstance(value, dict):
                return Mistake("is not an object", "write it in { }")
            wrong = mistake(kind, value)
            return wrong and Mistake(f"is not valid: {wrong.what}", wrong.hint)
    return next(_within(info, value), None)


def _between(low: int | None, high: int | None) -> str:
    """The hint for a number; limits of JSON integers are not mentioned."""
    has_limits = low is not None and high is not None and high < LARGEST
    return f"write a number from {low} to {high}" if has_limits else "write a whole number"


def _wrong_text(info: inspect.StrType, value: Any) -> Mistake | None:
    if not isinstance(value, str):
        return Mistake("is not a text", "write it in quotation marks")
    if len(value) < (info.min_length or 0):
        return Mistake("is empty", "write something, or leave it out")
    if wrong := fault(value, info.max_length or len(value)):
        return Mistake(wrong, REMEDY)
    if info.pattern and not re.search(info.pattern, value):
        return NOT_PLAIN
    return None


def _within(info: inspect.Type, value: Any) -> Iterator[Mistake]:
    """Mistakes within a list, or an object with free keys."""
    match info:
        case inspect.VarTupleType(item_type=kind):
            if not isinstance(value, list):
                yield Mistake("is not a list", "write it in [ ]")
                return
            parts = [(kind, each) for each in value]
        case inspect.DictType(key_type=kind, value_type=kind_of_value):
            if not isinstance(value, dict):
                yield Mistake("is not an object", "write it in { }")
                return
            parts = [(kind, each) for each in value] + [(kind_of_value, each) for each in value.values()]
        case _:
            return
    for kind, each in parts:
        if wrong := _wrong(kind, each):
            yield Mistake(f"has an item that {wrong.what}", wrong.hint)
