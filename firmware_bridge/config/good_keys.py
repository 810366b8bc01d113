"""The keys of a section of a TOML document, read by their types: every mistake a sentence, every good key kept."""

from __future__ import annotations

from decimal import Decimal
from typing import Any, Final

import msgspec
from msgspec.structs import fields

from firmware_bridge.config.toml_text import as_floats
from firmware_bridge.config.wanted import row_of, table_of, what_is_wrong, what_may_stand
from firmware_bridge.facts.nearest import nearest

SHOWN: Final = 80
"""Characters of a wrong value that are shown."""


def named_keys(
    kind: Any, where: str, keys: dict[str, Any], known: tuple[str, ...], mistakes: list[str]
) -> dict[str, Any]:
    """The good keys of a section whose keys are names, those of `known`."""
    good: dict[str, Any] = {}
    for key, value in keys.items():
        if key not in known:
            mistakes.append(unknown(f"{where}{key}", key, known))
            continue
        try:
            good[key] = msgspec.convert(value, kind)
        except msgspec.ValidationError:
            mistakes += _wrong(kind, f"{where}{key}", key, value)
    return good


def good_keys(
    kind: Any, where: str, keys: dict[str, Any], mistakes: list[str], without: tuple[str, ...] = ()
) -> dict[str, Any]:
    """The good keys of a section, or of a table within it. without: fields that are no keys."""
    known = {field.encode_name: field for field in fields(kind) if field.encode_name not in without}
    good: dict[str, Any] = {}
    for key, value in keys.items():
        if key not in known:
            mistakes.append(unknown(f"{where}{key}", key, known))
            continue
        try:
            read = msgspec.convert(value, known[key].type)
            if not _is_finite(read):
                raise msgspec.ValidationError("nobody can count with it")
            good[key] = read
        except msgspec.ValidationError:
            mistakes += _wrong(known[key].type, f"{where}{key}", key, value)
    return good


def _is_finite(value: Any) -> bool:
    """Whether no decimal in it is `nan` or `inf`, which TOML can write."""
    match value:
        case Decimal():
            return value.is_finite()
        case dict():
            return all(map(_is_finite, value.values()))
    return True


def _wrong(kind: Any, where: str, key: str, value: Any) -> list[str]:
    """What is wrong with a value: with the keys of a table, or with it as a whole."""
    within: list[str] = []
    if isinstance(value, dict) and (table := table_of(kind)):
        good_keys(table, f"{where}.", value, within)
    elif isinstance(value, dict) and (row := row_of(kind)):
        named_keys(row.of, f"{where}.", value, row.names, within)
    parts = [what_is_wrong(kind, value), what_may_stand(kind)]
    return within or [f"{where} = {_shown(key, value)}: {'; '.join(filter(None, parts))}"]


def _shown(key: str, value: Any) -> str:
    """A value as it may be shown: what looks like a secret is not, and of a long one the beginning."""
    text = "***" if "password" in key else str(value) if isinstance(value, Decimal) else repr(as_floats(value))
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}.."


def unknown(where: str, key: str, known: Any) -> str:
    """The mistake of a key or a section that nobody knows, with the name that may be meant."""
    near = nearest(key, known)
    hint = f"did you mean {near}?" if near else f"known are: {', '.join(known)}"
    return f"{where} is unknown: {hint}"
