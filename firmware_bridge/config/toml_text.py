"""TOML as people write it: values on one line, and readable messages for a file that is no TOML."""

import codecs
import json
import re
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from firmware_bridge.errors import ConfigError
from firmware_bridge.facts.decoding import TOO_DEEP, TOO_LONG, Undecodable, text_of, toml

LONGEST: Final = 1_000
"""Characters of a line that are searched for what is wrong in it."""

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
_REMEDIES: Final = {TOO_LONG: "give it at most 18 digits", TOO_DEEP: "close each bracket"}
_DECLARED: Final = re.compile(r"Cannot declare (?P<name>\(.*\)) twice")


def quoted(text: str) -> str:
    """Return a basic string of TOML: like JSON's, except that DEL is escaped; no surrogate pairs."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def document(path: Path) -> dict[str, Any]:
    """Return the document in a file, numbers with a point as exact decimals: they may be money.

    Raises OSError; ConfigError, with the line, if it is no TOML.
    """
    return parsed(path, path.read_bytes())


def parsed(path: Path, content: str | bytes) -> dict[str, Any]:
    """Return the document in a text, or in what a file has, with exact decimals.

    Raises ConfigError, with the line, if it is no TOML; as `decoded` does.
    """
    text = content if isinstance(content, str) else decoded(path, content)
    try:
        return toml(text, Decimal)
    except Undecodable as error:
        what, hint = _in_words(str(error), text.splitlines())
        raise ConfigError(f"{path}: {what}", hint) from None


def decoded(path: Path, content: bytes) -> str:
    """Return the text of a file. Raises ConfigError if it is not saved in UTF-8, or begins with a mark."""
    if content.startswith(codecs.BOM_UTF8):
        raise ConfigError(
            f"{path}: it begins with a byte order mark", "save it as UTF-8 without one (not with Notepad)"
        )
    if content.startswith(WORKBOOK):
        raise ConfigError(f"{path}: it is a workbook of a spreadsheet", "save it as CSV in UTF-8")
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) or b"\0" in content:
        raise ConfigError(f"{path}: it is saved as UTF-16", "save it as UTF-8")
    try:
        return text_of(content).replace("\r\n", "\n")
    except Undecodable as error:
        raise ConfigError(f"{path}: {error}", "save it as UTF-8") from None


def _in_words(message: str, lines: list[str]) -> tuple[str, str]:
    """Return fault and remedy for a message of the TOML parser."""
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
    if what in _REMEDIES:
        return f"not TOML: line {number}: {what}: {line.strip()[:60]}", _REMEDIES[what]
    hint = QUOTES if what == "Invalid value" or what.startswith(("Expected newline", "Unterminated", "Illegal")) else ""
    return f"not TOML: line {number}: {what}: {line.strip()[:60]}", hint or "write [section], and key = value below it"


def _other_signs(what: str, line: str) -> str:
    """Return what to do about a line with a key of other letters, or with signs of another keyboard; "" if none."""
    bare = _QUOTED.sub("", line.partition("#")[0])[:LONGEST]  # a pattern takes the square of its time
    if wide := next((each for each in bare if each in WIDE), ""):
        return f"write {WIDE[wide]} in place of {wide}"
    key = next((each for each in _KEY.findall(bare) if not each.isascii()), "")
    if not key or what == "Invalid value":
        return ""
    value = re.search(rf"{re.escape(key)}\s*(=\s*{_VALUE})", line)
    return f"write the name in quotation marks: {f'{quoted(key)} {value[1]}' if value else f'[{quoted(key)}]'}"


def in_toml(value: Any) -> str:
    """Return a text, number, boolean, list or table of these on one line; keys with None are left out."""
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
    """Return the value in TOML; as Python prints it for other types, such as dates."""
    try:
        return in_toml(value)
    except TypeError:
        return str(value)


def key_in_toml(name: str) -> str:
    """Return a key, quoted where TOML requires it."""
    return name if name.replace("-", "_").isidentifier() and name.isascii() else quoted(name)
