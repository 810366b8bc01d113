"""The payloads of the topics `event` and `round`, as far as a backend's arithmetic needs them."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from hashlib import sha256
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta, Struct

from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.events import EntryName

Payload = bytes | str | Mapping[str, Any]
"""A message as it came, or already decoded from JSON."""


Count = Annotated[int, Meta(ge=1)]


class MessageError(BridgeError, ValueError):
    """A message that cannot be what the shoe sent."""


class Identity(NamedTuple):
    """Which message of its topic: entry `seq` (from 1) of `journal`, event `n` (from 1) of that entry (mqtt.md)."""

    journal: str
    seq: int
    n: int


class _Message(Struct, frozen=True, kw_only=True):
    journal: str
    seq: Count
    n: Count

    @property
    def identity(self) -> Identity:
        """Its key beside the topic: same key, same bytes."""
        return Identity(self.journal, self.seq, self.n)


class EventMessage(_Message, frozen=True, kw_only=True):
    """A message of the topic `event`: the entry holds `of` events."""

    of: Count
    event: dict[str, Any]

    def __post_init__(self) -> None:
        if self.n > self.of:
            raise ValueError(f"event {self.n} of {self.of}")


class RoundMessage(_Message, frozen=True, kw_only=True):
    """A message of the topic `round`.

    prev: the entry of the round message before it at its table, across shoes and journals. bets: net units per unit
    staked, exactly the decimals that the message writes: 0.95 is `Decimal("0.95")`.
    """

    round: int
    status: Literal["closed", "voided", "corrected"]
    prev: EntryName | None
    revision: int = 0
    bets: dict[str, Decimal] = {}


Shape = TypeVar("Shape", EventMessage, RoundMessage)


def read(payload: Payload, shape: type[Shape]) -> Shape:
    """The message in a payload; unknown fields are left out.

    A dict may hold floats, as `json.loads` makes them: their shortest decimal counts. Raises MessageError.
    """
    try:
        if isinstance(payload, bytes | str):
            return msgspec.json.decode(payload, type=shape)
        return msgspec.convert(payload, shape)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise MessageError(f"not a message of this topic: {error}", "look which topic it came from") from None


def fingerprint(payload: Payload) -> bytes:
    """32 bytes that are equal for equal contents, whatever the order of the keys."""
    content = msgspec.json.decode(payload) if isinstance(payload, bytes | str) else payload
    return sha256(msgspec.json.encode(content, order="sorted")).digest()
