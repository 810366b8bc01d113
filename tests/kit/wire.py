"""Every message that a test receives is as its schema says, and every kind of message is received by some test."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from jsonschema import Draft202012Validator

from firmware_bridge.cli.schema import TEXTS, schema
from firmware_bridge.games import GAMES
from firmware_bridge.record.verify import parse_note
from tests.war.rules import GAME

SEEN: Final = "SHOE_TEST_SEEN"
"""The variable that names the directory where each process puts an empty file for each kind that it received."""

TOY: Final = ".war."
"""In the kinds of rounds of the toy game: what is tested of it is tested by other games too."""

_ENCODED: Final = re.compile(r"[A-Za-z0-9+/]{40,}={0,2}")
UNSENT: Final = {"event.KeyChanged"}
"""Kinds that are read already, and that no order makes yet."""

_LAST_WORDS: Final = ("status.online", "status.stopped", "status.lost")


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object that has no key twice."""
    names = [name for name, _ in pairs]
    if len(set(names)) < len(names):
        raise ValueError(f"a key is there twice: {names}")
    return dict(pairs)


def kind(topic: str, payload: dict[str, Any]) -> str:
    """The definition in the schema that a message belongs to; an answer on a topic of its own is a reply."""
    name = next((word for word in reversed(topic.split("/")) if word in _defs()), "reply")
    if name in ("command", "stored") and set(payload) == {"key", "order", "sig"}:
        return "signed"
    if name == "event":
        return f"event.{payload['event']['type']}"
    if name == "round":
        return f"round.{payload['game']}.{payload['status']}"
    return f"command.{payload.get('do')}" if name == "command" else name


def fault(topic: str, payload: dict[str, Any]) -> str | None:
    """What is wrong with a message, None for nothing; its kind is put on record as seen."""
    if topic.rsplit("/", 1)[-1] in TEXTS:
        if payload["note"]:
            parse_note(payload["note"])  # raises ValueError
            _note(topic.rsplit("/", 1)[-1])
        return None
    name = kind(topic, payload)
    if name not in _defs():
        return f"{topic}: no such kind of message: {name}"
    wrong = next(_validator(name).iter_errors(payload), None)
    if wrong:
        return f"{topic}, {name}: {wrong.json_path}: {wrong.message}"
    _note(f"status.{payload['state']}" if name == "status" else name)
    return None


def kinds() -> set[str]:
    """All kinds that some test must send."""
    alone = {name for name in _defs() if name[0].islower() and "$ref" not in json.dumps(_defs()[name].get("anyOf", ""))}
    topics = {name for name in alone if not name.startswith("firmware_bridge.")}
    return {name for name in topics if TOY not in name} - {"status", *UNSENT} | set(_LAST_WORDS)


def unseen(directory: Path) -> set[str]:
    """Kinds that no process has received."""
    return kinds() - {each.name for each in directory.iterdir()}


@cache
def _note(name: str) -> None:
    if directory := os.environ.get(SEEN):
        (Path(directory) / name).touch()


@cache
def _defs() -> dict[str, Any]:
    """The definitions, narrowed: a key that the schema does not know is a fault of the shoe."""
    GAMES["war"] = GAME
    try:
        return dict(_narrowed(schema()["$defs"]))
    finally:
        del GAMES["war"]


def _narrowed(value: Any) -> Any:
    if isinstance(value, list):
        return [_narrowed(each) for each in value]
    if not isinstance(value, dict):
        return value
    narrowed = {name: _narrowed(each) for name, each in value.items()}
    return {"additionalProperties": False} | narrowed if isinstance(value.get("properties"), dict) else narrowed


@cache
def _validator(name: str) -> Any:
    return Draft202012Validator({"$ref": f"#/$defs/{name}", "$defs": _defs()})


def missing(directory: Path) -> Iterator[str]:
    """A sentence for each kind that no test sends."""
    for name in sorted(unseen(directory)):
        yield f"no test sends {name}: write one, or take it out of the types"


def without_signatures(text: str) -> str:
    """A text without keys, hashes and signatures: base64 and hex of 30 bytes or more, which spell a card by chance."""
    return _ENCODED.sub("", text)
