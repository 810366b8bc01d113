"""The journal's line format: what is published, what stays sealed, and what proves both.

A line is `version TAB checksum TAB chain TAB public TAB sealed LF`. Public is the bytes of the events as
published, with commitments in place of sealed cards; sealed is the input and the sealed cards. The checksum
(CRC-32, 8 hex digits) covers chain, public and sealed; the chain (SHA-256, 64 hex digits) covers the chain
before and the public part, so a line whose sealed part was left out still verifies.
"""

from __future__ import annotations

from datetime import date
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final
from zlib import crc32

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import replace

from firmware_bridge.errors import JournalError
from firmware_bridge.facts.cards import Serial
from firmware_bridge.facts.device import Device
from firmware_bridge.facts.entry import Entry
from firmware_bridge.facts.events import AnyEvent, CardEvent, ResultHeld, Secret, ShoeOpened
from firmware_bridge.facts.inputs import AnyInput, ReaderResult
from firmware_bridge.facts.wire import VERSION as MESSAGES
from firmware_bridge.facts.wire import EntryHead

VERSION: Final = b"1"
DAY_MS: Final = 86_400_000
FIRST_DAY: Final = date(1970, 1, 1).toordinal()
FIRST_CHAIN: Final = "0" * 64
"""What the very first line of a device chains to."""


class Public(EntryHead, frozen=True, forbid_unknown_fields=True):
    """The published part of a line: the head of its messages, and their events."""

    events: tuple[Raw, ...]


class Sealed(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The part that stays in the house; all but the input belongs to the events, by their number from 1."""

    input: AnyInput
    secrets: dict[str, Secret] = {}
    device: Device | None = None
    serials: dict[str, Serial] = {}
    results: dict[str, ReaderResult] = {}


class Line(Struct, frozen=True):
    """An entry with the bytes it has on disk and on the wire. `entry` is None where the sealed part is out."""

    public: Public
    chain: str
    data: bytes
    entry: Entry | None

    def __repr__(self) -> str:
        """Without the bytes: they spell sealed cards."""
        return f"Line({self.public.journal}, {self.public.seq})"


_DAMAGED: Final = "the line was damaged or changed: restore the file"
_encode = msgspec.json.Encoder().encode
_decode_public = msgspec.json.Decoder(Public).decode
_decode_sealed = msgspec.json.Decoder(Sealed).decode
_decode_event = msgspec.json.Decoder(AnyEvent).decode


def seal(entry: Entry, before: str) -> Line:
    """The line of an entry that follows the chain `before`.

    Raises JournalError when the bytes do not give back the entry they were made from.
    """
    public = Public(
        MESSAGES,
        entry.table,
        entry.shoe,
        entry.journal,
        entry.seq,
        rfc3339(entry.input.at),
        entry.boot,
        tuple([Raw(_encode(_without_secret(event))) for event in entry.events]),
    )
    sealed = _sealed(entry)
    shown = _encode(public)
    chain = chained(before, shown)
    hidden = _encode(sealed)
    body = b"%b\t%b\t%b" % (chain.encode(), shown, hidden)
    line = Line(public, chain, b"%b\t%08x\t%b\n" % (VERSION, crc32(body), body), entry)
    if _entry(_decode_public(shown), _decode_sealed(hidden)) != entry:
        raise JournalError(f"entry {entry.seq} does not survive its own encoding", "call the maker: a software fault")
    return line


def unseal(data: bytes) -> Line:
    """The line of its bytes (with the LF). Raises JournalError that says what is wrong with it."""
    parts = data.split(b"\t")
    if len(parts) != 5 or not data.endswith(b"\n"):
        raise JournalError("not a whole line", _DAMAGED)
    version, checksum, chain, shown, hidden = parts
    if version != VERSION:
        raise JournalError(f"line format {version!r} is not {VERSION!r}", "read it with the software that wrote it")
    body = data[len(version) + len(checksum) + 2 : -1]
    if b"%08x" % crc32(body) != checksum:
        raise JournalError("the checksum is wrong", _DAMAGED)
    try:
        public = _decode_public(shown)
        sealed = _decode_sealed(hidden) if hidden != b"\n" else None
        entry = _entry(public, sealed) if sealed else None
    except (msgspec.MsgspecError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise JournalError("not a journal entry", "the checksum is right: written by other software?") from None
    return Line(public, chain.decode("ascii", "replace"), data, entry)


def without_sealed(line: Line) -> bytes:
    """The bytes of a line for people outside: public part and chain, a checksum of its own."""
    body = b"%b\t%b\t" % (line.chain.encode(), _encode(line.public))
    return b"%b\t%08x\t%b\n" % (VERSION, crc32(body), body)


def chained(before: str, public: bytes) -> str:
    """The chain value after a public part."""
    return sha256(before.encode() + public).hexdigest()


def verify_chain(line: Line, before: str) -> bool:
    """Whether `line` follows the chain value `before`."""
    return line.chain == chained(before, _encode(line.public))


def rfc3339(at: int) -> str:
    """Milliseconds since 1970 as RFC 3339 in UTC."""
    days, ms = divmod(at, DAY_MS)
    return f"{_date(days)}T{ms // 3_600_000:02}:{ms // 60_000 % 60:02}:{ms // 1000 % 60:02}.{ms % 1000:03}Z"


@lru_cache(2)
def _date(days: int) -> str:
    """The date so many days after 1970-01-01; it is worked out once a day, not in the way of every card."""
    return date.fromordinal(FIRST_DAY + days).isoformat()


def _without_secret(event: AnyEvent) -> AnyEvent:
    if isinstance(event, CardEvent) and not (event.secret is None and event.serial is None):
        return replace(event, secret=None, serial=None)
    if isinstance(event, ResultHeld):
        return ResultHeld()
    if isinstance(event, ShoeOpened):
        return replace(event, device=None)
    return event


def _sealed(entry: Entry) -> Sealed:
    """What `_without_secret` takes from the events, and the input."""
    sealed = Sealed(entry.input, {}, _device(entry.events), {}, {})
    for n, event in enumerate(entry.events, 1):
        if isinstance(event, CardEvent):
            if event.secret is not None:
                sealed.secrets[str(n)] = event.secret
            if event.serial is not None:
                sealed.serials[str(n)] = event.serial
        elif isinstance(event, ResultHeld) and event.result is not None:
            sealed.results[str(n)] = event.result
    return sealed


def _device(events: tuple[AnyEvent, ...]) -> Device | None:
    return events[0].device if isinstance(events[0], ShoeOpened) else None


def _entry(public: Public, sealed: Sealed) -> Entry:
    events: list[Any] = [_decode_event(raw) for raw in public.events]
    for name, kept in (("secret", sealed.secrets), ("serial", sealed.serials), ("result", sealed.results)):
        for n, value in kept.items():
            events[int(n) - 1] = replace(events[int(n) - 1], **{name: value})
    if sealed.device:
        events[0] = replace(events[0], device=sealed.device)
    return Entry(public.table, public.shoe, public.journal, public.seq, public.boot, sealed.input, tuple(events))
