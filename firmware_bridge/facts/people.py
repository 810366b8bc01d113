"""Which fields of a struct name a person, by their types."""

from functools import cache
from typing import Final

from msgspec import Struct, inspect
from msgspec.structs import fields

from firmware_bridge.facts.bounds import PERSON

NO_PERSON: Final = frozenset({"", "backend", "dealer", "shoe"})
"""Values of such a field that are no person."""


@cache
def people(kind: type[Struct]) -> tuple[str, ...]:
    """Return the fields of a struct that hold a person's name, as they stand in a message; not those of its parts."""
    return tuple(each.encode_name for each in fields(kind) if _is_person(inspect.type_info(each.type)))


def _is_person(info: inspect.Type) -> bool:
    match info:
        case inspect.Metadata(extra={"of": of}):
            return bool(of == PERSON)
        case inspect.UnionType(types=kinds):
            return any(map(_is_person, kinds))
    return False
