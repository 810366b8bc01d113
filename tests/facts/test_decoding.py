"""One decoder for the bytes of others: a value, or one error that says in a line what is wrong."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.decoding import (
    KeyTwice,
    Undecodable,
    base64,
    converted,
    from_json,
    json_of,
    json_once,
    msgpack_of,
    own_json,
    text_in,
    text_of,
    toml,
)
from tests.kit.rows import each_row
from tests.kit.rubbish import ALONE, BAD_VALUES, DEEP

DIGITS = "7" * 5_000


class Named(msgspec.Struct):
    name: str
    seq: int = 0


@each_row("content", [*ALONE, *BAD_VALUES], ids=lambda content: repr(content[:20]))
def test_any_bytes_are_a_value_or_undecodable(content: bytes) -> None:
    said = list[str]()
    for decode in (from_json, json_once, json_of(Named), msgpack_of(Named), text_of, base64, _toml):
        try:
            decode(content)
        except Undecodable as error:
            said.append(error.what)
    assert all(each.isprintable() for each in said), said


def _toml(content: bytes) -> object:
    return toml(text_of(content))


def test_an_undecodable_text_is_an_error_of_the_bridge_and_a_value_error() -> None:
    assert issubclass(Undecodable, BridgeError)
    assert issubclass(Undecodable, ValueError)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b'{"name":"\xff"}', "line 1 is not valid UTF-8"),
        (b'{"name":"a","x":' + b"[" * DEEP, "nested too deeply"),
        (b'{"name":1}', "Expected `str`, got `int` - at `$.name`"),
        (b"{}", "Object missing required field `name`"),
    ],
)
def test_what_is_wrong_with_a_message(content: bytes, why: str) -> None:
    with pytest.raises(Undecodable, match=f"^{re.escape(why)}$"):
        json_of(Named)(content)


def test_values_come_as_they_are() -> None:
    assert json_of(Named)(b'{"name":"a","seq":3}') == from_json(b'{"name":"a","seq":3}', Named) == Named("a", 3)
    assert own_json(Named)(b'{"name":"a"}') == converted({"name": "a"}, Named) == Named("a")
    assert msgpack_of(Named)(msgspec.msgpack.encode(Named("a"))) == Named("a")
    assert (text_of(b"\xc3\xa9"), base64("YQ=="), json_once("[1, 1]")) == ("é", b"a", [1, 1])


@pytest.mark.parametrize("content", ['{"a":1,"a":1}', '[{"b":{"a":1,"c":2,"a":3}}]'])
def test_a_key_twice_is_refused_where_readers_would_differ(content: str) -> None:
    assert from_json(content)
    with pytest.raises(KeyTwice):
        json_once(content)


@pytest.mark.parametrize("content", ["YQ=", "YQ==\n", "Y Q==", "é", "YQ==YQ=="])
def test_base64_alone(content: str) -> None:
    with pytest.raises(Undecodable):
        base64(content)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ((f"b = {DIGITS}",), "a number has too many digits (at line 2, column 1)"),
        ((f"b = 0x{'f' * 40}",), "a number has too many digits (at line 2, column 1)"),
        (("b = 9223372036854775808",), "a number has too many digits (at line 2, column 1)"),
        (("b = 1e999999999999999999999",), "a number has too many digits (at line 2, column 1)"),
        ((f'b = "{DIGITS}"', f"c = [{DIGITS}]"), "a number has too many digits (at line 3, column 1)"),
        (("b = [", "  1,", f"  {DIGITS},", "]", f"c = {DIGITS}"), "a number has too many digits (at line 4, column 1)"),
        ((f"b = {'[' * 3_000}",), "nested too deeply (at line 2, column 1)"),
        (("b =",), "Invalid value (at line 2, column 4)"),
    ],
)
def test_a_mistake_in_toml_has_its_line(lines: tuple[str, ...], why: str) -> None:
    with pytest.raises(Undecodable) as raised:
        toml("\n".join(["a = 1", *lines, ""]), Decimal)
    assert raised.value.what == why


@pytest.mark.parametrize("number", ["9223372036854775807", "-9223372036854775808", "0x7fffffffffffffff", "1.5"])
def test_numbers_that_toml_can_state(number: str) -> None:
    assert toml(f"a = {number}", Decimal)["a"] == (Decimal("1.5") if number == "1.5" else int(number, 0))


def test_a_path_that_can_be_none_is_undecodable(tmp_path: Path) -> None:
    with pytest.raises(Undecodable):
        text_in(tmp_path / "a\0b")
    with pytest.raises(FileNotFoundError):
        text_in(tmp_path / "none")
