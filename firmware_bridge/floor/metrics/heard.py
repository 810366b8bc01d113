"""As much of the tables' messages as metrics are made of; a key that an older table does not send has its default."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final, Literal, TypeVar

import msgspec
from msgspec import Meta, Struct

from firmware_bridge.client.payload import MessageError
from firmware_bridge.facts.printable import CLASS

MOST: Final = 2**53
"""The largest number that is believed: one that no reader of metrics can take would cost all tables their metrics."""

LARGEST: Final = 256 * 1024
"""Bytes of the largest message that is read."""

Number = Annotated[int, Meta(ge=0, le=MOST)]
Measured = Annotated[float, Meta(ge=-1e6, le=1e6)]
Name = Annotated[str, Meta(min_length=1, max_length=100, pattern=rf"^[^{CLASS}]*\Z")]
Line = Annotated[str, Meta(max_length=200)]
Time = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\Z")]
"""RFC 3339, ms, UTC: of two such texts the later time is the greater text."""

RoundStatus = Literal["closed", "corrected", "voided"]


class Said(Struct, frozen=True, kw_only=True):
    """What every message says of itself."""

    table: Name
    at: Time
    boot: Name

    @property
    def when(self) -> float:
        """`at` in seconds since 1970."""
        return datetime.fromisoformat(self.at).timestamp()


class Status(Said, frozen=True, kw_only=True):
    """Of the topic `status`."""

    state: Literal["online", "stopped", "lost"]
    version: Name = "unknown"
    build: Name = "unknown"
    mode: Name | None = None
    clock: Literal["synchronised", "unsynchronised", "unknown"] = "unknown"
    link: Number | None = None


class Reader(Struct, frozen=True, kw_only=True):
    """The reader's part of `health`."""

    reads: Number | None = None
    unread: Number | None = None
    frames_bad: Number | None = None
    quality: Measured | None = None
    lamp: Measured | None = None
    ambient: Measured | None = None
    temperature: Measured | None = None
    quality_calibrated: Measured | None = None
    lamp_calibrated: Measured | None = None
    forecast: Line | None = None


class Health(Said, frozen=True, kw_only=True):
    """Of the topic `health`."""

    uptime_s: Number | None = None
    reader: Reader = Reader()
    disk_free_mb: Number | None = None
    temperature: Measured | None = None
    under_voltage: bool | None = None
    queue: Number | None = None
    faults: Annotated[tuple[Line, ...], Meta(max_length=100)] | None = None
    orders_refused: Number | None = None


class _Alarm(Struct, frozen=True):
    id: Name
    severity: Name


class Alarms(Said, frozen=True, kw_only=True):
    """Of the topic `alarm`."""

    open: Annotated[tuple[_Alarm, ...], Meta(max_length=1000)]


class Laid(Said, frozen=True, kw_only=True):
    """Of the topic `table`."""

    phase: Name
    cards_left: Number | None = None


class Round(Said, frozen=True, kw_only=True):
    """Of the topic `round`."""

    seq: Number
    n: Number
    status: RoundStatus


Kind = TypeVar("Kind", bound=Said)


def read(body: bytes, kind: type[Kind], table: str) -> Kind:
    """A message of a table, whose topic says `table` too. Raises MessageError."""
    if len(body) > LARGEST:
        raise MessageError(f"a message of {len(body)} bytes", "")
    try:
        told = msgspec.json.decode(body, type=kind)
        told.when  # noqa: B018  # the 32nd of a month
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise MessageError(f"not a message of this topic: {error}", "") from None
    if told.table != table:
        raise MessageError(f"a message of table {told.table} on the topic of table {table}", "")
    return told
