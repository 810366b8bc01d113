"""A message as a CloudEvent 1.0, and the signature of a request (Standard Webhooks)."""

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from hmac import digest
from typing import Final, NamedTuple
from urllib.parse import quote

import msgspec
from msgspec import Raw, Struct

from firmware_bridge.facts.decoding import json_of
from firmware_bridge.floor.store.feed import FedMessage

ONE: Final = "application/cloudevents+json; charset=utf-8"
MANY: Final = "application/cloudevents-batch+json; charset=utf-8"


class Event(Struct, frozen=True):
    """A CloudEvent. source and id name the message; type says what happened.

    sequence: its place in the feed of the store, which rises. partitionkey: its table. data: the message as it is
    stored (docs/messages.md).
    """

    specversion: str
    id: str
    source: str
    type: str
    time: str
    datacontenttype: str
    sequence: str
    partitionkey: str
    data: Raw


class Request(NamedTuple):
    """A request before it is signed: the same messages make the same one. id: stays where it is sent again."""

    id: str
    content_type: str
    body: bytes


class _Kind(Struct):
    type: str


class _Head(Struct):
    status: str = ""
    event: _Kind | None = None


_head: Final = json_of(_Head)


def event(message: FedMessage, body: bytes) -> Event:
    """Return a message of the feed as a CloudEvent."""
    head, topic = _head(body), "round" if message.kind == "round" else "event"
    return Event(
        specversion="1.0",
        id=f"{topic}/{message.journal}/{message.seq}/{message.n}",
        source=f"/tables/{quote(message.table, safe='')}",
        type=f"shoe.{topic}.{head.event.type if head.event else head.status}",
        time=message.at or "",
        datacontenttype="application/json",
        sequence=f"{message.place:020}",
        partitionkey=message.table,
        data=Raw(body),
    )


def request(name: str, events: Sequence[Event], *, is_list: bool) -> Request:
    """Return the request with some events, at least one. name: of the receiver."""
    first, last = (each.sequence.lstrip("0") for each in (events[0], events[-1]))
    if is_list:
        return Request(f"{name}-{first}-{last}", MANY, msgspec.json.encode(events))
    return Request(f"{name}-{first}", ONE, msgspec.json.encode(events[0]))


def signed(made: Request, key: bytes, now: int) -> dict[str, str]:
    """Return the headers of a request at a time, in seconds since 1970."""
    mac = digest(key, b"%b.%d.%b" % (made.id.encode(), now, made.body), sha256)
    return {
        "content-type": made.content_type,
        "webhook-id": made.id,
        "webhook-timestamp": str(now),
        "webhook-signature": f"v1,{b64encode(mac).decode()}",
    }
