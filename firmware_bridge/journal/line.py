"""The journal's line format: the published part, the sealed part, and the proof of both.

A line is `version TAB checksum TAB chain TAB public TAB sealed TAB proof LF`, with blanks before the LF up to the end
of a sector. Public is the bytes of the events as published, with commitments in place of sealed cards; sealed is the
input, which begins with 16 random bytes of its own (`salt`), and the sealed cards. The checksum (CRC-32, 8 hex digits)
covers all but itself and the blanks. The chain (SHA-256, 64 hex digits) covers the chain before, the SHA-256 of the
sealed part in hex digits, and the public part. Proof is empty, or the signatures over the record (`Proof`); the chain
does not cover it. An export has the hash in place of the sealed part, and no blanks: it still verifies, and its chain
is the same. The random bytes keep the few hundred possible inputs from being guessed by hash.

Formats differ in what the events say, not in the layout: each has the `v` of its messages, which the chain covers. A
file has one format from its first line to its last.
"""

import re
from collections.abc import Callable
from datetime import date, datetime
from functools import lru_cache
from hashlib import sha256
from typing import Any, Final
from zlib import crc32

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType
from msgspec.structs import replace

from firmware_bridge.errors import JournalError
from firmware_bridge.facts.cards import Serial
from firmware_bridge.facts.decoding import WRONG, own_json
from firmware_bridge.facts.events import AnyEvent, CardEvent, Device, Entry, ResultHeld, Secret, ShoeOpened
from firmware_bridge.facts.inputs import AnyInput, ReaderResult
from firmware_bridge.facts.wire import LINES, EntryHead, line_format
from firmware_bridge.journal.preallocate import padded

FORMAT: Final = 4
"""The format of a file that is begun."""

BEFORE: Final = 3
"""The format before: read, and written to a file that was begun in it (topics/before.py)."""

V_OF: Final = {int(version): v for v, version in LINES.items()}
"""Format of a journal -> `v` of its messages."""
NO_LINE: Final = b"not a whole line\n"
"""What a copy has in place of bytes that are no whole line; it verifies as that."""

FORMAT_LENGTH: Final = 10
"""Bytes at the beginning of a journal that identify its format."""

DAY_MS: Final = 86_400_000
FIRST_DAY: Final = date(1970, 1, 1).toordinal()
FIRST_CHAIN: Final = "0" * 64
"""The chain value before the first line of a device."""


class Public(EntryHead, frozen=True, forbid_unknown_fields=True):
    """The published part of a line: the head of its messages, and its events."""

    events: tuple[Raw, ...]


class Sealed(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The part that stays in the house: the input, and secrets of events by their number from 1."""

    input: AnyInput
    secrets: dict[str, Secret] = {}
    device: Device | None = None
    serials: dict[str, Serial] = {}
    results: dict[str, ReaderResult] = {}


class Proof(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Signatures over the record up to a line, and where its tree goes on (journal/record_tree.py).

    note: the checkpoint over the tree with this line, as text, "" where it is not signed. sigs: number of an event ->
    the signature of its `round` message, base64. size, edge: of the tree before the line, in the first line of a file
    and in that of `RecordBegun`; edge is the hashes of its whole subtrees, largest first, base64.
    """

    note: str = ""
    sigs: dict[str, str] = {}
    size: int | UnsetType = UNSET
    edge: tuple[str, ...] | UnsetType = UNSET


NO_PROOF: Final = Proof()


class Line(Struct, frozen=True):
    """An entry with its bytes on disk and on the wire. `entry` is None in an export without the sealed part.

    chain: the chain value after this entry, the `head` of its messages. sealed_hash: of the sealed part, hex SHA-256.
    """

    public: Public
    chain: str
    sealed_hash: str
    data: bytes
    entry: Entry | None
    proof: Proof = NO_PROOF

    def __repr__(self) -> str:
        """Return the name of the line, without its bytes, which hold sealed cards."""
        return f"Line({self.public.journal}, {self.public.seq})"


class NotWhole(JournalError):
    """Bytes that are no whole line: an interrupted write, or damage."""


_FORMAT: Final = re.compile(rb"(\d{1,9})\t")
_HASH: Final = re.compile(rb"[0-9a-f]{64}")
_DAMAGED: Final = "the line was damaged or changed: restore the file"
_CRCS: Final = {version: crc32(version) for version in LINES.values()}
_encode = msgspec.json.Encoder().encode
_decode_public = own_json(Public)
_decode_sealed = own_json(Sealed)
_decode_event = own_json(AnyEvent)
_decode_proof = own_json(Proof)
_decode_any = own_json(dict[str, Any])


def seal(entry: Entry, before: str, prove: Callable[[Line], Proof] | None = None, number: int = FORMAT) -> Line:
    """Return the line of an entry after the chain `before`. Raises JournalError if its bytes do not give back the
    entry.

    prove: gives the proof of a line that has all but its `data`; it is called once its input and events are final.
    number: of the format, that of the file which the line goes to.
    """
    public = Public(
        V_OF[number],
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
    hidden = _encode(sealed)
    sealed_hash = sha256(hidden).hexdigest()
    chain = chained(before, sealed_hash, shown)
    line = Line(public, chain, sealed_hash, b"", entry)
    proof = prove(line) if prove else NO_PROOF
    line = replace(line, data=padded(_text(LINES[public.v], chain, shown, hidden, _proof_text(proof))), proof=proof)
    if _entry(_decode_public(shown), _decode_sealed(hidden)) != entry:
        raise JournalError(
            f"entry {entry.seq} cannot be encoded without loss", "call the maker: this is a software error"
        )
    return line


def unseal(data: bytes) -> Line:
    """Return the line in these bytes, blanks and LF included. Raises NotWhole, or JournalError for a foreign line."""
    parts = data.split(b"\t")
    if not data.endswith(b"\n"):
        raise NotWhole("not a whole line", _DAMAGED)
    parts[-1] = parts[-1][:-1].rstrip(b" ")
    if len(parts) > 2 and parts[0] not in _CRCS:
        raise _other_format(parts[0], parts[1], b"\t".join(parts[2:]))
    if len(parts) != 6:
        raise NotWhole("not a whole line", _DAMAGED)
    version, checksum, chain, shown, hidden, proof = parts
    text = _text(version, chain.decode("latin-1"), shown, hidden, proof)
    if text[len(version) + 1 : len(version) + 9] != checksum:
        raise NotWhole("the checksum is wrong", _DAMAGED)
    is_export = _HASH.fullmatch(hidden) is not None
    if data != (text + b"\n" if is_export else padded(text)):
        raise NotWhole("its padding is wrong", _DAMAGED)
    try:
        if not _HASH.fullmatch(chain):
            raise ValueError("no chain value")
        public = _decode_public(shown)
        if line_format(shown) != version:
            raise ValueError("messages of another format")
        datetime.fromisoformat(public.at)
        if is_export:
            _verify_events(public)
        entry = None if is_export else _entry(public, _decode_sealed(hidden))
        proved = _decode_proof(proof) if proof else NO_PROOF
        if _proof_text(proved) != proof:
            raise ValueError("a proof that is written in another way")
    except (*WRONG, LookupError, TypeError, AttributeError):
        raise JournalError("not a journal entry", "the checksum is right: written by other software?") from None
    sealed_hash = hidden.decode("ascii", "replace") if is_export else sha256(hidden).hexdigest()
    return Line(public, chain.decode("ascii", "replace"), sealed_hash, data, entry, proved)


def format_of(beginning: bytes) -> int | None:
    """Return the format number at the beginning of a journal; None where it is no journal, or empty."""
    found = _FORMAT.match(beginning)
    return int(found[1]) if found else None


def without_sealed(line: Line) -> bytes:
    """Return the bytes of a line for export: the hash of the sealed part in its place, with a checksum of its own."""
    return exported(line.chain, _encode(line.public), line.sealed_hash, line.proof)


def without_sealed_part(data: bytes) -> bytes:
    """Return the same from a line's bytes alone, its events not decoded; `NO_LINE` for bytes that are no whole line."""
    parts = data.split(b"\t")
    if not data.endswith(b"\n") or len(parts) != 6 or parts[0] not in _CRCS:
        return NO_LINE
    version, checksum, head, shown, hidden, proof = parts
    chain, proved = head.decode("latin-1"), proof[:-1].rstrip(b" ")
    if _text(version, chain, shown, hidden, proved)[len(version) + 1 : len(version) + 9] != checksum:
        return NO_LINE
    hashed = hidden if _HASH.fullmatch(hidden) else sha256(hidden).hexdigest().encode()
    return _text(version, chain, shown, hashed, proved) + b"\n"


def exported(chain: str, public: bytes, sealed_hash: str, proof: Proof) -> bytes:
    """Return the bytes of a line for export, from its parts."""
    return _text(line_format(public), chain, public, sealed_hash.encode(), _proof_text(proof)) + b"\n"


def chained(before: str, sealed_hash: str, public: bytes) -> str:
    """Return the chain value after an entry. sealed_hash: hex SHA-256 of its sealed part. public: the other bytes."""
    return sha256(before.encode() + sealed_hash.encode() + public).hexdigest()


def verify_chain(line: Line, before: str) -> bool:
    """Return whether `line` follows the chain value `before`."""
    return line.chain == chained(before, line.sealed_hash, _encode(line.public))


def _proof_text(proof: Proof) -> bytes:
    return b"" if proof is NO_PROOF or proof == NO_PROOF else _encode(proof)


def _text(version: bytes, chain: str, shown: bytes, hidden: bytes, proof: bytes) -> bytes:
    """Return a line without blanks and LF."""
    body = b"%b\t%b\t%b\t%b" % (chain.encode("latin-1"), shown, hidden, proof)
    return b"%b\t%08x\t%b" % (version, crc32(body, _CRCS[version]), body)


def _other_format(version: bytes, checksum: bytes, body: bytes) -> JournalError:
    """Return the error for a line of another format: a JournalError where its checksum is right, else NotWhole."""
    kind = JournalError if checksum in (b"%08x" % crc32(body), b"%08x" % crc32(body, crc32(version))) else NotWhole
    known = " or ".join(map(repr, LINES.values()))
    return kind(f"line format {version!r} is not {known}", "read it with the software that wrote it")


@lru_cache(2)
def rfc3339(at: int) -> str:
    """Return milliseconds since 1970 as RFC 3339 in UTC."""
    days, ms = divmod(at, DAY_MS)
    return f"{_date(days)}T{ms // 3_600_000:02}:{ms // 60_000 % 60:02}:{ms // 1000 % 60:02}.{ms % 1000:03}Z"


@lru_cache(2)
def _date(days: int) -> str:
    """Return the date so many days after 1970-01-01, computed once a day."""
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
    """Return the input, and what `_without_secret` removes from the events."""
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


def _verify_events(public: Public) -> None:
    """Raise ValueError unless an export has events, of any software: objects with the name of their type."""
    if not public.events or not all(isinstance(_decode_any(raw)["type"], str) for raw in public.events):
        raise ValueError("no events")


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
