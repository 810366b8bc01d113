"""Mistakes of a JSON line with a given round, in words of the person who wrote it."""

import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from firmware_bridge.config.read_section import good_keys
from firmware_bridge.facts.decoding import TOO_DEEP, Undecodable
from firmware_bridge.facts.printable import did_you_mean
from firmware_bridge.games.game import Game

KINDS: Final = {
    "object": "an object { }",
    "array": "a list [ ]",
    "str": "a text in quotation marks",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
}
"""Kind of a value as msgspec calls it -> in words."""

BOUNDS: Final = {">=": "{} or more", "<=": "at most {}", ">": "more than {}", "<": "less than {}"}

_KIND: Final = re.compile(
    r"Expected `(?P<wanted>[^`]+)`(?:, got `(?P<got>[^`]+)`| (?P<sign>[<>]=?) (?P<bound>\S+))?"
    r"(?: - at `(?P<at>[^`]+)`)?"
)
_CHOICE: Final = re.compile(r"Invalid enum value (?P<got>.*) - at `(?P<at>[^`]+)`")
_MISSING: Final = re.compile(r"Object missing required field `(?P<name>[^`]+)`.*")
_BYTE: Final = re.compile(r"JSON is malformed: .* \(byte (\d+)\)")
_PLACE: Final = re.compile(r"(?P<name>\w+)(?:\[(?P<item>\d+|\.\.\.)\])?$")
_NO_CARD: Final = re.compile(r"(.*) is not a valid Card")


def why(error: Exception, line: str | bytes) -> str:
    """Return what is wrong with a line, without the words of Python and of its decoder."""
    text = str(error)
    match error:
        case KeyError(args=(key, *_)):
            return f'"{key}" is missing'
        case Undecodable() if text == TOO_DEEP:
            return "it is nested too deeply"
        case Undecodable() if text.endswith("UTF-8"):
            return "it is not text in UTF-8"
        case Undecodable() | msgspec.MsgspecError():
            return _decoded(text, line)
        case ValueError() if (found := _NO_CARD.fullmatch(text)) is not None:
            return f"{found[1]} is not a card"
        case ValueError() if text:
            return text
        case RecursionError():
            return "it is nested too deeply"
    return "a value is not of the kind that belongs there"


def wrong_settings(game: Game, given: Mapping[str, Any]) -> list[str]:
    """Return the mistakes of a game's settings, one by one, each with what may stand there."""
    mistakes: list[str] = []
    for name, value in given.items():
        try:
            msgspec.convert({name: value}, game.terms, strict=False)
        except msgspec.ValidationError:
            good_keys(game.terms, "settings.", {name: value}, mistakes)
    return mistakes


def wrong_type(given: Any, known: tuple[str, ...], game: str) -> tuple[str, str]:
    """Return the mistake of a type of line that is not known, or not given (None), and what to write instead."""
    written = " or ".join(f'"{each}"' for each in known)
    if given is None:
        return '"type" is missing', f'write "type": {written}'
    near = did_you_mean(given, known, "") if isinstance(given, str) else ""
    shown = msgspec.json.encode(given).decode()
    return f"{game} has no lines of the type {shown}", near or f'write "type": {written}'


def _decoded(text: str, line: str | bytes) -> str:
    if found := _KIND.fullmatch(text):
        wanted = " or ".join(map(_kind, found["wanted"].split(" | ")))
        bound = f", {BOUNDS[found['sign']].format(found['bound'])}" if found["sign"] else ""
        got = f", and is {_kind(found['got'])}" if found["got"] else ""
        return f"{_place(found['at'] or '')} must be {wanted}{bound}{got}"
    if found := _CHOICE.fullmatch(text):
        return f"{_place(found['at'])} cannot be {found['got']}"
    if found := _MISSING.fullmatch(text):
        return f'"{found["name"]}" is missing'
    if found := _BYTE.fullmatch(text):
        whole = line.encode() if isinstance(line, str) else line
        return f"it is not JSON from character {len(whole[: int(found[1])].decode('utf-8', 'replace')) + 1} on"
    if "truncated" in text:
        return "it is cut off: a bracket or a quotation mark is not closed"
    return re.sub(r" - at `[^`]*`", "", text)


def _kind(name: str) -> str:
    return KINDS.get(name, name)


def _place(path: str) -> str:
    """Return the place of a value: `$.moves[0]` is item 1 of "moves"."""
    found = _PLACE.search(path)
    if found is None:
        return "the line"
    number = found["item"] or ""
    item = f"item {int(number) + 1} of " if number.isdecimal() else "a value of " * bool(number)
    return f'{item}"{found["name"]}"'
