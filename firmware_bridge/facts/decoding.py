"""Decodes what others wrote, for the whole project: any bytes give a value or `Undecodable`."""

import json
import re
from base64 import b64decode
from bisect import bisect_left
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, overload

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.printable import escaped

if TYPE_CHECKING:
    from msgspec import Raw  # imported where it decodes: `shoe status` does without it

Kind = TypeVar("Kind")

WRONG: Final = (ValueError, ArithmeticError, RecursionError)
"""What the decoders of msgspec and of the standard library raise for bytes that are wrong."""

INTEGERS: Final = range(-(2**63), 2**63)
"""The integers that TOML can state, as its specification says."""

TOO_LONG: Final = "a number has too many digits"
TOO_DEEP: Final = "nested too deeply"

_LONG: Final = re.compile(r"(?<![\w.])[+-]?(0x[0-9a-fA-F_]{16,}|0o[0-7_]{21,}|0b[01_]{63,}|[0-9_]{19,})")
_IN_QUOTES: Final = re.compile(r'"[^"]*"|\'[^\']*\'|#.*')


class Undecodable(BridgeError, ValueError):
    """Bytes, or a text, that are not what they should be; `what` says why in one line."""


class KeyTwice(Undecodable):
    """JSON in which a key stands twice in one object: readers differ on its value."""


@overload
def json_of(kind: type[Kind]) -> Callable[[bytes | str], Kind]: ...
@overload
def json_of(kind: Any) -> Callable[[bytes | str], Any]: ...
def json_of(kind: Any) -> Callable[[bytes | str], Any]:
    """Return the decoder of JSON that holds a value of a type. It raises Undecodable."""
    import msgspec

    return _guarded(msgspec.json.Decoder(kind).decode)


@overload
def msgpack_of(kind: type[Kind]) -> Callable[[bytes], Kind]: ...
@overload
def msgpack_of(kind: Any) -> Callable[[bytes], Any]: ...
def msgpack_of(kind: Any) -> Callable[[bytes], Any]:
    """Return the decoder of MessagePack that holds a value of a type. It raises Undecodable."""
    import msgspec

    return _guarded(msgspec.msgpack.Decoder(kind).decode)


@overload
def own_json(kind: type[Kind]) -> "Callable[[bytes | str | Raw], Kind]": ...
@overload
def own_json(kind: Any) -> "Callable[[bytes | str | Raw], Any]": ...
def own_json(kind: Any) -> "Callable[[bytes | str | Raw], Any]":
    """Return the decoder of what this process encoded itself: a card waits for some, so no Python stands around it.

    It raises what msgspec does, one of `WRONG`.
    """
    import msgspec

    return msgspec.json.Decoder(kind).decode


@overload
def from_json(content: "bytes | str | Raw") -> Any: ...
@overload
def from_json(content: "bytes | str | Raw", kind: type[Kind]) -> Kind: ...
@overload
def from_json(content: "bytes | str | Raw", kind: Any) -> Any: ...
def from_json(content: "bytes | str | Raw", kind: Any = Any) -> Any:
    """Return the value of a JSON document, of a type where one is given. Raises Undecodable."""
    import msgspec

    try:
        return msgspec.json.decode(content, type=kind)
    except WRONG as error:
        raise _undecodable(error) from None


@overload
def converted(value: Any, kind: type[Kind]) -> Kind: ...
@overload
def converted(value: Any, kind: Any) -> Any: ...
def converted(value: Any, kind: Any) -> Any:
    """Return the value of a type that dicts, lists, texts and numbers stand for. Raises Undecodable."""
    import msgspec

    try:
        return msgspec.convert(value, kind)
    except WRONG as error:
        raise _undecodable(error) from None


def json_once(content: bytes | str) -> Any:
    """Return the value of a JSON document in which no object has a key twice. Raises Undecodable, KeyTwice."""
    value = from_json(content)
    json_alone(content, _verify_once)
    return value


def json_alone(content: bytes | str, pairs: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """Return the value of a JSON document by the standard library, for commands that load little. Raises Undecodable.

    pairs: makes an object of its keys and values.
    """
    try:
        return json.loads(content, object_pairs_hook=pairs)
    except WRONG as error:
        raise error if isinstance(error, Undecodable) else _undecodable(error) from None


def toml(text: str, parse_float: Callable[[str], Any] = float) -> dict[str, Any]:
    """Return the document in a text of TOML. Raises Undecodable; its text has the line, as tomllib's messages do."""
    import tomllib  # imported here: `shoe status` does without it on an installed system

    def error_of(lines: list[str]) -> Exception | None:
        try:
            tomllib.loads("\n".join(lines), parse_float=parse_float)
        except WRONG as error:
            return None if isinstance(error, tomllib.TOMLDecodeError) else error
        return None

    try:
        document = tomllib.loads(text, parse_float=parse_float)
    except tomllib.TOMLDecodeError as error:
        raise Undecodable(str(error)) from None
    except WRONG as error:  # the parser stops where it meets that, whatever comes behind
        lines = text.split("\n")
        number = 1 + bisect_left(range(len(lines)), 1, key=lambda n: error_of(lines[: n + 1]) is not None)
        raise Undecodable(f"{_undecodable(error).what} (at line {number}, column 1)") from None
    if _has_wide(document):
        bare = (_IN_QUOTES.sub("", line) for line in text.split("\n"))
        number = next((number for number, line in enumerate(bare, 1) if _LONG.search(line)), 1)
        raise Undecodable(f"{TOO_LONG} (at line {number}, column 1)")
    return document


def text_of(content: bytes, encoding: str = "utf-8") -> str:
    """Return the text in bytes. Raises Undecodable."""
    try:
        return content.decode(encoding)
    except WRONG as error:
        raise _undecodable(error) from None


def text_in(path: Path, encoding: str = "utf-8") -> str:
    """Return the text in a file. Raises Undecodable, also for a path that can be none; OSError."""
    try:
        return path.read_text(encoding)
    except WRONG as error:
        raise _undecodable(error) from None


def base64(content: bytes | str) -> bytes:
    """Return the bytes of a text in base64, with nothing else in it. Raises Undecodable."""
    try:
        return b64decode(content, validate=True)
    except WRONG as error:
        raise _undecodable(error) from None


def _guarded(decode: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def guarded(content: Any) -> Any:
        try:
            return decode(content)
        except WRONG as error:
            raise _undecodable(error) from None

    return guarded


def _undecodable(error: Exception) -> Undecodable:
    match error:
        case UnicodeDecodeError():
            line = error.object.count(b"\n", 0, error.start) + 1
            return Undecodable(f"line {line} is not valid {error.encoding.upper()}")
        case RecursionError():
            return Undecodable(TOO_DEEP)
        case ArithmeticError():
            return Undecodable(TOO_LONG)
    said = str(error)
    return Undecodable(TOO_LONG if said.startswith("Exceeds the limit") else escaped(said))


def _verify_once(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        raise KeyTwice("a key stands there twice")


def _has_wide(value: Any) -> bool:
    """Return whether an integer is none that TOML can state."""
    match value:
        case int():
            return value not in INTEGERS
        case dict():
            return any(map(_has_wide, value.values()))
        case list():
            return any(map(_has_wide, value))
    return False
