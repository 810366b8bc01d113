"""TOML as people write it: values on one line, and readable messages for a file that is no TOML."""

import codecs
import json
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from firmware_bridge.errors import ConfigError

EXACT: Final = ("game", "limits")
"""Sections with exact decimals for numbers."""

QUOTES: Final = "put text in quotation marks"

WORKBOOK: Final = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How workbooks begin: .xlsx and .ods, which are ZIP files, and .xls."""

WIDE: Final = dict(zip("＝，“”‘’：［］｛｝＂", '=,""\'\':[]{}"', strict=True))
"""Sign of a Chinese keyboard -> the one that TOML has."""

_AT: Final = re.compile(r"(?P<what>.*) \(at line (?P<line>\d+), column \d+\)", re.DOTALL)
_TWICE: Final = re.compile(
    r"Duplicate inline table key '(?P<key>.*)'|Cannot overwrite a value|Cannot mutate immutable.*"
)
_QUOTED: Final = re.compile(r""" "[^"]*"|'[^']*' """, re.VERBOSE)
_KEY: Final = re.compile(r"([^\s=,{}\[\]\"'.]+)\s*(?==|\])")
_VALUE: Final = r"""(?:"[^"]*"|\[[^\]]*\]|[^\s,}]+)"""
_DECLARED: Final = re.compile(r"Cannot declare (?P<name>\(.*\)) twice")


def quoted(text: str) -> str:
    """A basic string of TOML: like JSON's, except that DEL is escaped; no surrogate pairs."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def document(path: Path) -> dict[str, Any]:
    """The document in a file. Raises OSError; ConfigError, with the line, if it is no TOML.

    Numbers with a point are floats, except in the game's section: they may be money there and are exact decimals.
    """
    sections = parsed(path, decoded(path, path.read_bytes()))
    return {name: keys if name in EXACT else as_floats(keys) for name, keys in sections.items()}


def parsed(path: Path, text: str) -> dict[str, Any]:
    """The document in a text, with exact decimals. Raises ConfigError, with the line, if it is no TOML."""
    import tomllib  # imported here: `shoe status` does without it on an installed system

    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        what, hint = _in_words(str(error), text.splitlines())
        raise ConfigError(f"{path}: {what}", hint) from None


def as_floats(value: Any) -> Any:
    """The same value with decimals as floats."""
    match value:
        case Decimal():
            return float(value)
        case dict():
            return {name: as_floats(each) for name, each in value.items()}
        case list():
            return [as_floats(each) for each in value]
    return value


def decoded(path: Path, content: bytes) -> str:
    """The text of a file. Raises ConfigError if it is saved in another encoding than UTF-8, or begins with a mark."""
    if content.startswith(codecs.BOM_UTF8):
        raise ConfigError(
            f"{path}: it begins with a byte order mark", "save it as UTF-8 without one (not with Notepad)"
        )
    if content.startswith(WORKBOOK):
        raise ConfigError(f"{path}: it is a workbook of a spreadsheet", "save it as CSV in UTF-8")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in content:
        raise ConfigError(f"{path}: it is saved as UTF-16", "save it as UTF-8")
    try:
        return content.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}: line {line} is not valid UTF-8", "save it as UTF-8") from None


def _in_words(message: str, lines: list[str]) -> tuple[str, str]:
    """Fault and remedy for a message of the TOML parser."""
    found = _AT.fullmatch(message)
    if not found:
        return f"not TOML: {message}", "look at its end for a quotation mark or bracket that is not closed"
    what, number = found["what"], int(found["line"])
    line = lines[number - 1] if number <= len(lines) else ""
    if twice := _TWICE.fullmatch(what):
        key = twice["key"] or line.partition("=")[0].strip()
        return f"{key} appears twice (line {number})", "keep one of them"
    if declared := _DECLARED.fullmatch(what):
        name = ".".join(re.findall(r"'([^']*)'", declared["name"]))
        return f"[{name}] appears twice (line {number})", "put all its keys under one heading"
    if remedy := _other_signs(what, line):
        return f"not TOML: line {number}: {line.strip()[:60]}", remedy
    hint = QUOTES if what == "Invalid value" or what.startswith(("Expected newline", "Unterminated", "Illegal")) else ""
    return f"not TOML: line {number}: {what}: {line.strip()[:60]}", hint or "write [section], and key = value below it"


def _other_signs(what: str, line: str) -> str:
    """What to do about a line with a key of other letters, or with signs of another keyboard; "" if it has none."""
    bare = _QUOTED.sub("", line.partition("#")[0])
    if wide := next((each for each in bare if each in WIDE), ""):
        return f"write {WIDE[wide]} in place of {wide}"
    key = next((each for each in _KEY.findall(bare) if not each.isascii()), "")
    if not key or what == "Invalid value":
        return ""
    value = re.search(rf"{re.escape(key)}\s*(=\s*{_VALUE})", line)
    return f"write the name in quotation marks: {f'{quoted(key)} {value[1]}' if value else f'[{quoted(key)}]'}"


def in_toml(value: Any) -> str:
    """A text, number, boolean, list or table of these on one line; keys with None are left out."""
    match value:
        case str():
            return quoted(value)
        case Mapping():
            inside = [f"{key_in_toml(name)} = {in_toml(each)}" for name, each in value.items() if each is not None]
            return f"{{ {', '.join(inside)} }}" if inside else "{}"
        case list() | tuple():
            return f"[{', '.join(map(in_toml, value))}]"
        case Decimal():
            return f"{value:f}"
    return json.dumps(value)


def as_written(value: Any) -> str:
    """The value in TOML; as Python prints it for other types, such as dates."""
    try:
        return in_toml(value)
    except TypeError:
        return str(value)


def key_in_toml(name: str) -> str:
    """A key, quoted where TOML requires it."""
    return name if name.replace("-", "_").isidentifier() and name.isascii() else quoted(name)
