"""Reads a command: a JSON object with `do`, and perhaps an `id`."""

import json
from typing import Any, Final

import msgspec

from firmware_bridge.facts.orders import Answer
from firmware_bridge.facts.printable import fault

LONGEST: Final = 4_096
"""Bytes of the longest order: its messages stay far below the limits of small brokers."""

ID_LENGTH: Final = 64
"""Characters of the longest id of an order."""

LIKE_THIS: Final = 'send {"id":"..","do":"next"}'


class NotAnOrder(ValueError):
    """Bytes that are no command: nothing is journaled. `answer` goes to their sender."""

    def __init__(self, error: str, hint: str, code: str = "", **more: Any) -> None:
        super().__init__(f"{error}; {hint}")
        self.answer = Answer(ok=False, error=error, hint=hint, code=code or None, **more)


def parse(payload: bytes) -> dict[str, Any]:
    """The fields of a command. Raises NotAnOrder with a hint what to send."""
    if len(payload) > LONGEST:
        raise too_long()
    try:
        fields = msgspec.json.decode(payload)
        json.loads(payload, object_pairs_hook=_once)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise NotAnOrder("not JSON", LIKE_THIS) from None
    if not isinstance(fields, dict) or not isinstance(fields.get("do"), str):
        raise NotAnOrder('"do" is missing', LIKE_THIS)
    given = fields.get("id")
    if given is not None and (not isinstance(given, str) or not given or fault(given, ID_LENGTH)):
        what = f'"id" must be a text of 1 to {ID_LENGTH} printable characters'
        raise NotAnOrder(what, "give each command its own id")
    return fields


def too_long() -> NotAnOrder:
    """The error for a command of more than `LONGEST` bytes."""
    return NotAnOrder("the command is too long", f"a command has at most {LONGEST} bytes: shorten it")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of a command. Raises NotAnOrder for a key that stands there twice: readers differ on its value."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise NotAnOrder("a key stands there twice", "give each key once")
    return found
