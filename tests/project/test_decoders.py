"""Bytes and texts of others are decoded in one place, firmware_bridge/facts/decoding.py, which has one error."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.kit.rows import each_row

BRIDGE: Final = Path(__file__).parents[2] / "firmware_bridge"
HOME: Final = "facts/decoding.py"

DECODERS: Final = {
    *("msgspec.json.decode", "msgspec.json.Decoder", "msgspec.msgpack.decode", "msgspec.msgpack.Decoder"),
    *("msgspec.toml.decode", "msgspec.yaml.decode", "json.load", "json.loads", "json.JSONDecoder"),
    *("tomllib.load", "tomllib.loads", "pickle.load", "pickle.loads", "marshal.loads"),
    *("base64.b64decode", "base64.urlsafe_b64decode", "base64.b32decode", "base64.decodebytes", "binascii.a2b_base64"),
}
"""Functions of libraries that decode, by their whole names."""

CANNOT_FAIL: Final = {"replace", "ignore", "backslashreplace", "surrogateescape", "latin-1"}
"""Encodings, and ways to handle errors, with which any bytes are a text."""

MAY: Final = {
    "record/verify.py": "an auditor takes this file alone",
    "__init__.py": "the build's name, before any other module is there; it suppresses what these raise",
    "facts/names.py": "a table of its own package, also for scripts that run before msgspec is installed",
    "cli/long_commands.py": "results of this command's own workers, over a pipe that it made",
}
"""Files that decode by themselves -> why."""


def decoded(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of each decoder that is used."""
    names = dict[str, str]()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {each.asname or each.name.partition(".")[0]: each.name for each in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names |= {each.asname or each.name: f"{node.module}.{each.name}" for each in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name) and (name := _whole(node, names)) in DECODERS:
            yield node.lineno, name
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _may_fail(node, node.func):
            yield node.lineno, f".{node.func.attr}"


def _whole(node: ast.expr, names: dict[str, str]) -> str:
    """The whole name of a function, "" for another expression."""
    match node:
        case ast.Name(id):
            return names.get(id, id)
        case ast.Attribute(value, attr):
            return f"{_whole(value, names)}.{attr}"
    return ""


def _may_fail(call: ast.Call, method: ast.Attribute) -> bool:
    """Whether a call makes a text of bytes that may be none: not of what was encoded in the same expression."""
    if method.attr not in ("decode", "read_text", "raw_decode"):
        return False
    given = {
        each.value for each in (*call.args, *(each.value for each in call.keywords)) if isinstance(each, ast.Constant)
    }
    return not given & CANNOT_FAIL and not _encodes(method.value)


def _encodes(node: ast.expr) -> bool:
    """Whether an expression is the result of an encoder, such as `b64encode(hash)`."""
    match node:
        case ast.Call(ast.Attribute(_, name) | ast.Name(name)):
            return name.endswith(("encode", "as_json")) or (name == "rstrip" and _encodes(node.func.value))  # type: ignore[attr-defined]
    return False


def test_nothing_else_decodes() -> None:
    found = {
        f"{path.relative_to(BRIDGE)}:{line}: {name}"
        for path in BRIDGE.rglob("*.py")
        if str(path.relative_to(BRIDGE)) not in {HOME, *MAY}
        for line, name in decoded(ast.parse(path.read_text()))
    }
    assert not found, "use firmware_bridge.facts.decoding"


def test_each_file_that_may_decode_does() -> None:
    assert all(list(decoded(ast.parse((BRIDGE / name).read_text()))) for name in MAY)


PLANTED: Final = """\
import json; json.loads(x)
from json import loads; loads(x)
from json import loads as read; each = map(read, x)
import msgspec; decode = msgspec.json.Decoder(int).decode
import msgspec as m; m.json.decode(x, type=int)
from msgspec import json; json.decode(x)
from msgspec.json import Decoder; Decoder(int)
import tomllib; tomllib.loads(x)
from base64 import b64decode; b64decode(x)
import pickle; pickle.load(x)
x.decode()
x.decode("utf-8")
x.decode("ascii")
path.read_text()
path.read_text("utf-8")
path.read_text(encoding="ascii")
f"{x.decode()}"
"""


@each_row("line", PLANTED.splitlines(), ids=str)
def test_a_decoder_elsewhere_is_found(line: str) -> None:
    assert list(decoded(ast.parse(line)))


@each_row("line", ['x.decode("ascii", "replace")', "b64encode(x).decode()", 'x.decode("latin-1")'], ids=str)
def test_what_cannot_fail_may_stand(line: str) -> None:
    assert not list(decoded(ast.parse(line)))
