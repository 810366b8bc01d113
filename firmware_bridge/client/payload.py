"""Decodes messages of a table (facts/wire.py), and encodes orders for the topic `command`."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Struct

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.decoding import Undecodable, converted, from_json
from firmware_bridge.facts.events import EntryName
from firmware_bridge.facts.orders import Order
from firmware_bridge.facts.wire import EventMessage, RoundMessage, StateHead, StreamMessage

Payload = bytes | str | Mapping[str, Any]
"""A message as it came, or already decoded from JSON."""

Body = TypeVar("Body", bound=Struct)


class MessageError(BridgeError, ValueError):
    """A message that cannot come from a shoe."""


class _Kind(Struct):
    type: str = ""


class StoredMessage(StreamMessage, frozen=True, kw_only=True):
    """What a ledger counts of a message of either topic. event: None of a round."""

    prev: EntryName | None = None
    event: _Kind | None = None


def stored_message(payload: bytes) -> StoredMessage:
    """Decode what a ledger counts of a message that was read whole when it came. Raises MessageError."""
    message: StoredMessage = _read(payload, StoredMessage)
    return message


def event_message(payload: Payload) -> EventMessage:
    """Decode a message of the topic `event`. Raises MessageError."""
    message: EventMessage = _read(payload, EventMessage)
    return message


def round_message(payload: Payload) -> RoundMessage:
    """Decode a message of the topic `round`. Raises MessageError.

    A dict may hold floats from `json.loads`: their shortest decimal counts.
    """
    message: RoundMessage = _read(payload, RoundMessage)
    return message


def state(payload: bytes | str, body: type[Body], head: type[StateHead] = StateHead) -> tuple[StateHead, Body]:
    """Decode head and body of a state or an answer, of facts/wire_states.py or a game. Raises MessageError."""
    return _read(payload, head), _read(payload, body)


def verify_table(table: str, named: str) -> None:
    """Raise MessageError if a message of the table `named` came on a topic of `table`."""
    if named != table:
        raise MessageError(
            f"the topic is of table {table}, the message of {named}", "check who publishes to this topic"
        )


def fingerprint(payload: Payload) -> bytes:
    """Return SHA-256 of the content, the same for any order of the keys."""
    content = from_json(payload) if isinstance(payload, bytes | str) else payload
    return sha256(msgspec.json.encode(content, order="sorted")).digest()


def _read(payload: Payload, shape: Any) -> Any:
    """Decode a payload; unknown fields are ignored. Raises MessageError."""
    try:
        if isinstance(payload, bytes | str):
            return from_json(payload, shape)
        return converted(payload, shape)
    except Undecodable as error:
        raise MessageError(f"not a message of this topic: {error}", "check which topic it came from") from None


MOST_OF_ID: Final = 64
"""Most characters of an `id`."""


def command(order: Order, id: str) -> bytes:
    """Encode an order for the topic `command`: `command(Void(why="misdeal"), id="b-17")`.

    id: 1 to 64 characters, unique to this order: a repeated id acts once and gets the same answer. Raises ValueError
    for another length.
    """
    if not 1 <= len(id) <= MOST_OF_ID:
        raise ValueError(f"an id has 1 to {MOST_OF_ID} characters, not {len(id)}")
    return msgspec.json.encode({"id": id} | msgspec.to_builtins(order))
