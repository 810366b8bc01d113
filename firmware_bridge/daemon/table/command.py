"""Reads a command: a JSON object with `do`, and perhaps an `id`."""

from typing import Any, Final

from firmware_bridge.facts.book.refusals import Value
from firmware_bridge.facts.decoding import KeyTwice, Undecodable, json_once
from firmware_bridge.facts.orders import Answer
from firmware_bridge.facts.printable import fault

LONGEST: Final = 4_096
"""Bytes of the longest order: its messages stay far below the limits of small brokers."""

ID_LENGTH: Final = 64
"""Characters of the longest id of an order."""


class NotAnOrder(ValueError):
    """Bytes that are no command: nothing is journaled. `answer` goes to their sender."""

    def __init__(self, code: str, /, values: dict[str, Value] | None = None, **more: Any) -> None:
        super().__init__(code)
        self.answer = Answer(ok=False, code=code, values=values or {}, **more)


def parse(payload: bytes) -> dict[str, Any]:
    """Return the fields of a command. Raises NotAnOrder with a hint what to send."""
    if len(payload) > LONGEST:
        raise too_long()
    try:
        fields = json_once(payload)
    except KeyTwice:
        raise NotAnOrder("key_twice") from None
    except Undecodable:
        raise NotAnOrder("not_json") from None
    if not isinstance(fields, dict) or not isinstance(fields.get("do"), str):
        raise NotAnOrder("do_missing")
    given = fields.get("id")
    if given is not None and (not isinstance(given, str) or not given or fault(given, ID_LENGTH)):
        raise NotAnOrder("bad_id", {"most": ID_LENGTH})
    return fields


def too_long() -> NotAnOrder:
    """Return the error for a command of more than `LONGEST` bytes."""
    return NotAnOrder("command_too_long", {"most": LONGEST})
