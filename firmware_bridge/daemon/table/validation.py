"""Checks the fields of an order; error texts for the person who gave it."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from msgspec import Struct, inspect
from msgspec.structs import fields

from firmware_bridge.facts import names
from firmware_bridge.facts.book.refusals import Phrase, Value, phrase
from firmware_bridge.facts.orders import LONGEST_NAME, Correct, Enter
from firmware_bridge.facts.printable import escaped, fault, nearest

ECHO: Final = 40
"""Characters of an unknown word repeated in its refusal."""

LARGEST: Final = 2**53
"""The largest number in orders."""


class Mistake(NamedTuple):
    """A mistake, as a code of `refusals.REFUSALS` with its values."""

    code: str
    values: dict[str, Value]


def _fault(code: str, /, **values: Value) -> Phrase:
    """Return a mistake in the value of a field, as a phrase that follows the field's name."""
    return Phrase(code, values)


NOT_PLAIN: Final = _fault("not_plain")
NOT_A_CARD: Final = _fault("not_card")


def shown(word: str) -> str:
    """Return the beginning of a word from outside, in one line."""
    return escaped(word[:ECHO])[:ECHO]


def mistake(kind: type[Struct], given: Mapping[str, Any]) -> Mistake | None:
    """Return the first mistake in the fields of an order or a part of it, None for none; the text repeats no value."""
    known = _fields(kind)
    for name in given:
        if name not in known:
            return _unknown(kind, name, known)
    for name, (info, is_needed) in known.items():
        if name in given and (wrong := _wrong(info, given[name])):
            if kind is Correct and NOT_PLAIN in wrong.values.values():
                wrong = _fault("bad_item", why=NOT_A_CARD, todo=NOT_A_CARD)
            return Mistake("bad_field", {"field": shown(name), "why": wrong, "todo": wrong})
        if name not in given and is_needed:
            return Mistake("field_missing", {"field": shown(name), "name": name})
    return None


@cache
def _fields(kind: type[Struct]) -> dict[str, tuple[inspect.Type, bool]]:
    """Return name -> type, and whether the field is required."""
    return {each.encode_name: (inspect.type_info(each.type), each.required) for each in fields(kind)}


def _unknown(kind: type[Struct], name: str, known: Mapping[str, Any]) -> Mistake:
    takes = phrase("its_fields", fields=tuple(known)) if known else phrase("no_fields")
    if kind is Enter:  # the name might be a card, which is secret
        return Mistake("a_field_unknown", {"todo": takes})
    near = nearest(name[:ECHO], known)
    todo = phrase("did_you_mean", word=near) if near else takes
    return Mistake("field_unknown", {"name": shown(name), "todo": todo})


def _wrong(info: inspect.Type, value: Any) -> Phrase | None:
    """Return the mistake in a value, a phrase that follows its name."""
    match info:
        case inspect.Metadata(type=kind, extra={"of": "person"}):
            unfit = None if _wrong(kind, value) else names.unfit(value, LONGEST_NAME)
            return _fault("name_unfit", fault=unfit) if unfit else _wrong(kind, value)
        case inspect.Metadata(type=kind):
            return _wrong(kind, value)
        case inspect.UnionType(types=kinds):
            found = [_wrong(each, value) for each in kinds]
            return None if None in found else found[0]
        case inspect.NoneType():
            return None if value is None else _fault("null")
        case inspect.StrType():
            return _wrong_text(info, value)
        case inspect.IntType(ge=low, le=high):
            is_number = isinstance(value, int) and not isinstance(value, bool)
            if not is_number or (low is not None and value < low) or (high is not None and value > high):
                return _not_a_number(low, high)
            return None
        case inspect.LiteralType(values=values):
            return None if value in values else _fault("not_choice", choices=tuple(map(str, values)))
        case inspect.EnumType(cls=kind):
            is_one = isinstance(value, str) and value in {each.value for each in kind}
            return None if is_one else NOT_A_CARD
        case inspect.StructType(cls=kind):
            return _wrong_part(kind, value)
    return next(_within(info, value), None)


def _wrong_part(kind: type[Struct], value: Any) -> Phrase | None:
    if not isinstance(value, dict):
        return _fault("not_object")
    if (wrong := mistake(kind, value)) is None:
        return None
    inner = Phrase(wrong.code, wrong.values)
    return _fault("not_valid", why=inner, todo=inner)


def _not_a_number(low: int | None, high: int | None) -> Phrase:
    """Return the mistake in a number; limits of JSON integers are not mentioned."""
    if low is not None and high is not None and high < LARGEST:
        return _fault("not_in_range", least=low, most=high)
    return _fault("not_number")


def _wrong_text(info: inspect.StrType, value: Any) -> Phrase | None:
    if not isinstance(value, str):
        return _fault("not_text")
    if len(value) < (info.min_length or 0):
        return _fault("empty")
    if wrong := fault(value, info.max_length or len(value)):
        return _fault("text_unfit", fault=wrong)
    if info.pattern and not re.search(info.pattern, value):
        return NOT_PLAIN
    return None


def _within(info: inspect.Type, value: Any) -> Iterator[Phrase]:
    """Yield mistakes within a list, or an object with free keys."""
    match info:
        case inspect.VarTupleType(item_type=kind):
            if not isinstance(value, list):
                yield _fault("not_list")
                return
            parts = [(kind, each) for each in value]
        case inspect.DictType(key_type=kind, value_type=kind_of_value):
            if not isinstance(value, dict):
                yield _fault("not_object")
                return
            parts = [(kind, each) for each in value] + [(kind_of_value, each) for each in value.values()]
        case _:
            return
    for kind, each in parts:
        if wrong := _wrong(kind, each):
            yield _fault("bad_item", why=wrong, todo=wrong)
