"""What may stand at a key of the config, in words."""

from __future__ import annotations

import re
from typing import Any, NamedTuple, get_args, get_origin

from msgspec import NODEFAULT, Struct, inspect


def what_may_stand(kind: Any) -> str:
    """What a value of this type may be, as people write it in TOML."""
    return _words(inspect.type_info(kind))


def what_is_wrong(kind: Any, value: Any) -> str:
    """What is wrong with this very text, where more is to be said than what may stand there; else nothing."""
    info = _text_of(inspect.type_info(kind))
    if info is None or not isinstance(value, str):
        return ""
    if info.max_length and len(value) > info.max_length:
        return f"it is too long: at most {info.max_length} characters"
    pattern = info.pattern or ""
    bad = next((value[n] for n in range(len(value)) if not re.search(pattern, value[: n + 1])), None)
    return f"{'a blank' if bad == ' ' else repr(bad)} cannot stand there" if bad else ""


def _text_of(info: inspect.Type) -> inspect.StrType | None:
    """The text that a value of this type may be, None where it may be none."""
    match info:
        case inspect.Metadata(type=kind):
            return _text_of(kind)
        case inspect.UnionType(types=kinds):
            return next((found for each in kinds if (found := _text_of(each))), None)
    return info if isinstance(info, inspect.StrType) else None


def table_of(kind: Any) -> type[Struct] | None:
    """The struct that a value in braces { } stands for at a key of this type; None where none may."""
    info = inspect.type_info(kind)
    kinds = info.types if isinstance(info, inspect.UnionType) else (info,)
    return next((each.cls for each in kinds if isinstance(each, inspect.StructType)), None)


class Row(NamedTuple):
    """A table in braces { } with one kind of value: its keys may be `names`."""

    of: Any
    names: tuple[str, ...]


def row_of(kind: Any) -> Row | None:
    """The table of values of one kind that may stand at a key of this type; None where none may."""
    if get_origin(kind) is not dict:
        return None
    names, of = get_args(kind)
    return Row(of, get_args(names))


def _words(info: inspect.Type) -> str:
    match info:
        case inspect.Metadata(type=kind, extra_json_schema=more):
            return f"{_words(kind)}; {more['description']}" if more and "description" in more else _words(kind)
        case inspect.UnionType(types=kinds):
            return "; or ".join(_words(each) for each in kinds if not isinstance(each, inspect.NoneType))
        case inspect.LiteralType(values=values):
            return f"known are: {', '.join(map(str, values))}"
        case inspect.VarTupleType(item_type=kind):
            return f"write a list in [ ]; {_words(kind)}"
        case inspect.DictType(key_type=inspect.LiteralType(values=names), value_type=kind):
            return f"write {{ NAME = .. }}; known are: {', '.join(map(str, names))}; {_words(kind)}"
        case inspect.StructType(fields=keys):
            needed = ", ".join(f"{key.encode_name} = .." for key in keys if key.default is NODEFAULT)
            return f"write {{ {needed} }}"
        case inspect.IntType(ge=low, le=high):
            return f"write a whole number{_limits(low, high)}"
        case inspect.FloatType(ge=low, le=high):
            return f"write a number{_limits(low, high)}"
        case inspect.DecimalType():
            return "write an amount, 12.5"
        case inspect.BoolType():
            return "write true or false"
    return "write a text in quotation marks, not an empty one"


def _limits(low: float | None, high: float | None) -> str:
    if low is None:
        return ""
    return f", {low} or more" if high is None else f" from {low} to {high}"
