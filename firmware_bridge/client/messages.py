"""Items of a floor's batches: messages, and what went wrong with some."""

from typing import Literal, NamedTuple

from firmware_bridge.facts.orders import Resend
from firmware_bridge.facts.wire import EventMessage, Identity, RoundMessage

Stream = Literal["event", "round"]


class Received(NamedTuple):
    """A message that came for the first time. raw: its bytes, to store as they are."""

    table: str
    topic: Stream
    message: EventMessage | RoundMessage
    raw: bytes


class Conflict(NamedTuple):
    """Other bytes under the identity of an earlier message: an incident, one of them is not from the shoe.

    raw: the later bytes; first: the SHA-256 of those that came first, hex.
    """

    table: str
    topic: Stream
    identity: Identity
    raw: bytes
    first: str


class Unreadable(NamedTuple):
    """Bytes on a topic of a table that cannot be a message of it."""

    table: str
    topic: Stream
    raw: bytes
    why: str


class Unsigned(NamedTuple):
    """A round message that no key of the table signed, or that is not of the entry that witnesses saw in its place.

    It must not be settled. Only with `require="signed"` or `"witnessed"`.
    """

    table: str
    topic: Stream
    raw: bytes
    why: str


class Refused(NamedTuple):
    """A table refused to send a gap again. final: it no longer has that journal, and is not asked again."""

    table: str
    asked: Resend
    why: str
    final: bool


Item = Received | Conflict | Unreadable | Unsigned | Refused


class TableOrder(NamedTuple):
    """An order to a table: its payload is `command(order, id)`."""

    table: str
    order: Resend
    id: str
