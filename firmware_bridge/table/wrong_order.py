"""What is wrong with an order, and what it takes, in the words of its sender."""

from __future__ import annotations

from typing import Any, Final

import msgspec
from msgspec import inspect
from msgspec.structs import FieldInfo, fields

from firmware_bridge.facts.orders import Order

ECHO: Final = 40
"""Characters of somebody's own word that a refusal repeats."""


def fault(kind: type[Order], arguments: dict[str, Any]) -> str:
    """The first thing that is wrong with the arguments of an order; they are never repeated, but for a wrong key."""
    known = {each.encode_name: each for each in fields(kind)}
    for name in arguments:
        if name not in known:
            return f"it takes no {name[:ECHO]!r}"
    for name, field in known.items():
        if name not in arguments:
            if field.required:
                return f"{name} is missing"
        elif not _fits(arguments[name], field):
            return f"{name} is no {_words(inspect.type_info(field.type))}"
    return "it makes no sense"


def takes(kind: type[Order], do: str) -> str:
    """What an order takes, as a hint: `void takes why`."""
    named = [each.encode_name if each.required else f"[{each.encode_name}]" for each in fields(kind)]
    return f"{do} takes {', '.join(named)}" if named else f"{do} takes nothing else"


def _fits(value: Any, field: FieldInfo) -> bool:
    try:
        msgspec.convert(value, field.type)
    except msgspec.ValidationError:
        return False
    return True


def _words(info: inspect.Type) -> str:
    match info:
        case inspect.UnionType(types=kinds):
            return " or ".join(_words(each) for each in kinds if not isinstance(each, inspect.NoneType))
        case inspect.Metadata(type=kind):
            return _words(kind)
        case inspect.LiteralType(values=values):
            return f"choice: one of {', '.join(map(str, values))}"
        case inspect.EnumType():
            return "card: rank, then suit, as in As or Td"
        case inspect.VarTupleType(item_type=kind):
            return f"list, each a {_words(kind)}"
        case inspect.DictType():
            return 'object of texts: {"1": "100"}'
        case inspect.StructType(fields=parts):
            return f"object of {', '.join(part.encode_name for part in parts)}"
        case inspect.IntType(ge=low, le=high):
            return f"whole number{_limits(low, high)}"
        case inspect.StrType(max_length=most):
            return f"text of up to {most} characters" if most else "text"
    return "text"


def _limits(low: int | None, high: int | None) -> str:
    if low is None or low < 0:
        return ""
    return f", {low} or more" if high is None or high > 1_000_000 else f" from {low} to {high}"
