"""Reads the keys of a TOML document by their types: each mistake is a sentence, good keys are kept."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, Literal, get_args, get_origin

import msgspec
from msgspec import NODEFAULT, Struct, inspect
from msgspec.structs import fields

from firmware_bridge.config.toml_text import as_written, document
from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.printable import did_you_mean, escaped, fault, nearest

SHOWN: Final = 80
"""Length up to which a wrong value is shown, in characters."""

LONGEST: Final = 1_000
"""Maximum length of a text (a path), in characters."""

SECRET: Final = "password_file"
"""Key with the file of a password, which never stands in a config."""

_OF_THE_READER: Final = {("reader", "line_end"), ("reader", "pattern")}
"""Keys with texts that may hold control characters."""

_WITH_A_RULE: Final = {("table", "id"), ("mqtt", "root")}
"""Keys with a pattern in their type, which gives the better message."""


def read_document(path: Path) -> dict[str, Any]:
    """Return the TOML document in a file. Raises ConfigError, also if the file cannot be read."""
    try:
        return document(path)
    except OSError as error:
        hint = "put sudo before the command" if isinstance(error, PermissionError) else "name the file with --config"
        raise ConfigError(f"{path}: {error.strerror}", hint) from None


def read_password(section: str, named: str, path: Path) -> bytes:
    """Return the password in the file named by a section's `password_file`. Raises ConfigError if it cannot be read."""
    try:
        return path.read_bytes().rstrip(b"\r\n")
    except OSError as error:
        what = f"[{section}] password_file {named}: {error.strerror}"
        is_for_others = isinstance(error, PermissionError)
        hint = "put sudo before the command, or check its owner" if is_for_others else "check the path and its owner"
        raise ConfigError(what, hint) from None


def refuse(name: str, mistakes: list[str]) -> None:
    """Raise ConfigError with all mistakes of the document `name`, one a line, if there are any."""
    if mistakes:
        raise ConfigError("\n".join(escaped(f"{name}: {each}") for each in mistakes))


def good_sections(
    raw: dict[str, Any],
    known: Collection[str],
    read: Callable[[str, Any], Any],
    mistakes: list[str],
    lists: Collection[str] = (),
) -> dict[str, Any]:
    """Return the known sections of a document, each made by `read(name, keys)`. lists: which are lists of tables."""
    sections: dict[str, Any] = {}
    for section, keys in raw.items():
        if section not in known:
            mistakes.append(unknown(f"[{section}]", section, known))
        elif not isinstance(keys, dict) and section not in lists:
            mistakes.append(f"{section} is a section: write [{section}]")
        else:
            sections[section] = read(section, keys)
    return sections


def typed_sections(
    raw: dict[str, Any],
    known: Collection[str],
    kinds: Mapping[str, Mapping[str, Any]],
    rows: Mapping[str, Any],
    lists: Collection[str],
) -> tuple[dict[str, Any], list[str]]:
    """Return the good keys of the known sections, and the mistakes in their names, types and texts.

    kinds: section -> key -> its type. rows: list of tables -> the struct of one. Other sections stay as they are.
    """
    mistakes: list[str] = []

    def read(section: str, keys: Any) -> Any:
        if section in rows:
            return good_rows(rows[section], section, keys, mistakes)
        return typed_keys(kinds[section], f"[{section}] ", keys, mistakes) if section in kinds else keys

    return good_sections(raw, known, read, mistakes, lists), mistakes + unprintable(raw)


def good_rows(kind: Any, section: str, rows: Any, mistakes: list[str]) -> list[Any]:
    """Return the rows of a list of tables `[[section]]` that have all keys without a default."""
    if not isinstance(rows, list) or not all(isinstance(each, dict) for each in rows):
        mistakes.append(f"{section} is a list of tables: write [[{section}]]")
        return []
    made = []
    for number, row in enumerate(rows, 1):
        where = f"[[{section}]] number {number}: "
        keys = good_keys(kind, where, row, mistakes)
        needed = [field.encode_name for field in fields(kind) if field.required]
        mistakes += [f"{where}{key} is missing" for key in needed if key not in row]
        if all(key in keys for key in needed):
            made.append(kind(**keys))
    return made


def good_keys(
    kind: Any,
    where: str,
    keys: dict[str, Any],
    mistakes: list[str],
    without: Collection[str] = (),
    more: Mapping[str, Any] = {},
) -> dict[str, Any]:
    """Return the good keys of a section or a table in it. without: fields that are no keys. more: others -> type."""
    known = {field.encode_name: field.type for field in fields(kind) if field.encode_name not in without}
    return typed_keys({**known, **more}, where, keys, mistakes)


def typed_keys(known: Mapping[str, Any], where: str, keys: dict[str, Any], mistakes: list[str]) -> dict[str, Any]:
    """Return the good keys of a section. known: key -> type."""
    good: dict[str, Any] = {}
    for key, value in keys.items():
        if key not in known:
            mistakes.append(unknown(f"{where}{key}", key, known))
            continue
        try:
            read = msgspec.convert(value, known[key])
            if not _is_finite(read):
                raise msgspec.ValidationError("not a finite number")
            good[key] = read
        except msgspec.ValidationError:
            mistakes += _wrong(known[key], f"{where}{key}", key, value)
    return good


SECRETS: Final = ("password", "passwort", "passwd", "pass", "pwd", "secret")
"""What people write for a password itself, which never stands in a config."""


def unknown(where: str, key: str, known: Collection[str]) -> str:
    """Return the message for an unknown key or section, with the most similar name."""
    if SECRET in known and nearest(key, (*known, *SECRETS)) in SECRETS:
        return f'{where} is unknown: write the password into a file, and {SECRET} = "/path/of/the/file"'
    otherwise = f"use one of: {', '.join(known)}"
    return f"{where} is unknown: {did_you_mean(key, known, otherwise)}"


def unprintable(raw: dict[str, Any]) -> list[str]:
    """Return the mistakes in names and texts that are too long or hold unprintable characters."""
    mistakes = []
    for section, content in raw.items():
        where, rows = (f"[[{section}]]", content) if isinstance(content, list) else (f"[{section}]", [content])
        for key, value in [item for row in rows if isinstance(row, dict) for item in row.items()]:
            if (section, key) in _OF_THE_READER | _WITH_A_RULE:
                continue
            for text in (key, *_texts(value)):
                if wrong := fault(text, LONGEST):
                    mistakes.append(f"{where} {key[:LONGEST]}: a text {wrong}")
                    break
    return mistakes


def what_may_stand(kind: Any) -> str:
    """Return the description of the values a type allows, as written in TOML."""
    return _words(inspect.type_info(kind))


def _is_finite(value: Any) -> bool:
    """Return whether no decimal in it is `nan` or `inf`, which TOML can write."""
    match value:
        case Decimal():
            return value.is_finite()
        case dict():
            return all(map(_is_finite, value.values()))
    return True


def _wrong(kind: Any, where: str, key: str, value: Any) -> list[str]:
    """Return the mistakes of a value: in the keys of a table, or in the value as a whole."""
    within: list[str] = []
    if isinstance(value, dict) and (table := _table_of(kind)):
        good_keys(table, f"{where}.", value, within)
    elif isinstance(value, dict) and (row := _row_of(kind)) is not None:
        typed_keys(row, f"{where}.", value, within)
    text = _wrong_items(kind, value) or "; ".join(filter(None, [_wrong_text(kind, value), what_may_stand(kind)]))
    return within or [f"{where} = {_shown(key, value)}: {text}"]


def _shown(key: str, value: Any) -> str:
    """Return a value as text: secrets masked, long ones shortened."""
    text = "***" if "password" in key else as_written(value)
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}.."


def _wrong_text(kind: Any, value: Any) -> str:
    """Return the mistake in this very text, where more can be said than what is allowed; else ""."""
    choices = _choices_of(inspect.type_info(kind))
    if choices and isinstance(value, str) and (near := nearest(value, choices)):
        return f"did you mean {as_written(near)}?"
    info = _text_of(inspect.type_info(kind))
    if info is None or not isinstance(value, str):
        return ""
    if info.max_length and len(value) > info.max_length:
        return f"it is too long: at most {info.max_length} characters"
    pattern = info.pattern or ""
    bad = next((value[n] for n in range(len(value)) if not re.search(pattern, value[: n + 1])), None)
    return f"{'a space' if bad == ' ' else as_written(bad)} is not allowed" if bad else ""


def _wrong_items(kind: Any, value: Any) -> str:
    """Return the mistakes of the items of a list, each with what may stand instead; "" if it is none."""
    items = _items_of(inspect.type_info(kind))
    if items is None or not isinstance(value, list):
        return ""
    wrong = [as_written(each) for each in value if not _is_right([each], kind)]
    known = [as_written(each) for each in _choices_of(items)]
    if not known:
        return f"{', '.join(wrong)}: {_words(items)}" if wrong else ""
    mistakes = [f"{each} is unknown: {did_you_mean(each, known, _words(items))}" for each in dict.fromkeys(wrong)]
    return "; ".join(mistakes).replace("?;", "?")


def _is_right(value: Any, kind: Any) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _items_of(info: inspect.Type) -> inspect.Type | None:
    """Return the type of the items, where a list is allowed; else None."""
    match info:
        case inspect.Metadata(type=kind):
            return _items_of(kind)
        case inspect.UnionType(types=kinds):
            return next((found for each in kinds if (found := _items_of(each))), None)
        case inspect.VarTupleType(item_type=kind):
            return kind
    return None


def _choices_of(info: inspect.Type) -> tuple[str, ...]:
    """Return the words that are allowed; () if others are, too."""
    match info:
        case inspect.Metadata(type=kind):
            return _choices_of(kind)
        case inspect.UnionType(types=kinds):
            return tuple([word for each in kinds for word in _choices_of(each)])
        case inspect.LiteralType(values=values):
            return tuple([each for each in values if isinstance(each, str)])
    return ()


def _text_of(info: inspect.Type) -> inspect.StrType | None:
    """Return the text type within a type; None if no text is allowed."""
    match info:
        case inspect.Metadata(type=kind):
            return _text_of(kind)
        case inspect.UnionType(types=kinds):
            return next((found for each in kinds if (found := _text_of(each))), None)
    return info if isinstance(info, inspect.StrType) else None


def _table_of(kind: Any) -> type[Struct] | None:
    """Return the struct that a value in braces { } is read as for this type; None if none."""
    info = inspect.type_info(kind)
    kinds = info.types if isinstance(info, inspect.UnionType) else (info,)
    return next((each.cls for each in kinds if isinstance(each, inspect.StructType)), None)


def _row_of(kind: Any) -> dict[str, Any] | None:
    """Return name -> type of a table with values of one kind, for this type; None if none."""
    if get_origin(kind) is not dict:
        return None
    names, of = get_args(kind)
    if get_origin(names) is not Literal:
        return None
    return dict.fromkeys(get_args(names), of)


def _words(info: inspect.Type) -> str:
    match info:
        case inspect.Metadata(type=kind, extra_json_schema=more):
            return f"{_words(kind)}; {more['description']}" if more and "description" in more else _words(kind)
        case inspect.UnionType(types=kinds):
            return "; or ".join(_words(each) for each in kinds if not isinstance(each, inspect.NoneType))
        case inspect.LiteralType(values=values):
            return f"use one of: {', '.join(map(as_written, values))}"
        case inspect.VarTupleType(item_type=kind):
            return f"write a list [ .. ]; for each item {_words(kind)}"
        case inspect.DictType(key_type=inspect.LiteralType(values=names), value_type=kind):
            return f"write {{ NAME = .. }}; names: {', '.join(map(str, names))}; {_words(kind)}"
        case inspect.DictType(value_type=kind):
            return f"write {{ NAME = .. }}; for each {_words(kind)}"
        case inspect.StructType(fields=keys):
            needed = ", ".join(f"{key.encode_name} = .." for key in keys if key.default is NODEFAULT)
            return f"write {{ {needed} }}"
        case inspect.IntType(ge=low, le=high):
            return f"write a whole number{_limits(low, high)}"
        case inspect.FloatType(ge=low, le=high):
            return f"write a number{_limits(low, high)}"
        case inspect.DecimalType():
            return "write an amount such as 12.5"
        case inspect.BoolType():
            return "write true or false"
    return "write text in quotation marks, not empty"


def _limits(low: float | None, high: float | None) -> str:
    if low is None:
        return ""
    return f", {low} or more" if high is None else f" from {low} to {high}"


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for key, each in value.items():
                yield key
                yield from _texts(each)
        case list():
            for each in value:
                yield from _texts(each)
