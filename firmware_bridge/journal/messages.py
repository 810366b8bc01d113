"""The messages of the topics `event` and `round`, made from a journal line: the same bytes every time."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec
from msgspec import Raw, Struct

from firmware_bridge.facts.decoding import own_json
from firmware_bridge.facts.wire import EntryHead
from firmware_bridge.journal.line import Line

_ROUNDS: Final = (b'{"type":"RoundClosed",', b'{"type":"RoundVoided",', b'{"type":"RoundCorrected",')
_encode = msgspec.json.Encoder().encode


class OutMessage(NamedTuple):
    """One message: the short topic name, and the payload bytes. `n` counts the entry's events from 1."""

    topic: str
    journal: str
    seq: int
    n: int
    payload: bytes


def messages(line: Line) -> list[OutMessage]:
    """Return all messages of a line in the order of sending: each event, and behind a round's event its `round`.

    The last event has what proves the entry: the hash of its sealed part, and the checkpoint where there is one.
    """
    public, proof = line.public, line.proof
    out = []
    for n, raw, start in _numbered(line):
        proved = _proved(line) if n == len(public.events) else b""
        out.append(OutMessage("event", public.journal, public.seq, n, b'%b%b"event":%b}' % (start, proved, raw)))
        if payload := _round(start, raw):
            if sig := proof.sigs.get(str(n)):
                payload = b'%b,"sig":"%b"}' % (payload[:-1], sig.encode())
            out.append(OutMessage("round", public.journal, public.seq, n, payload))
    return out


def rounds_to_sign(line: Line) -> list[tuple[int, bytes]]:
    """Return the number of each event with a `round` message, and its payload without `sig`."""
    if not any(bytes(raw).startswith(_ROUNDS) for raw in line.public.events):
        return []  # before their head is encoded: with `sign_sealed` most signed entries have no round
    return [(n, payload) for n, raw, start in _numbered(line) if (payload := _round(start, raw))]


def _numbered(line: Line) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield the events with their numbers, and the beginning of their messages, up to what is of one topic."""
    head, of = _head(line), len(line.public.events)
    for n, raw in enumerate(map(bytes, line.public.events), 1):
        yield n, raw, b'%b,"n":%d,"of":%d,' % (head, n, of)


def _proved(line: Line) -> bytes:
    sealed = b'"sealed":"%b",' % line.sealed_hash.encode()
    return sealed + b'"checkpoint":%b,' % _encode(line.proof.note) if line.proof.note else sealed


@lru_cache(2)  # it is made for its signature, then sent
def _round(start: bytes, raw: bytes) -> bytes | None:
    """Return the `round` message of an event without its signature; None for another event."""
    for prefix in _ROUNDS:
        if raw.startswith(prefix):
            return start + _flat(raw[len(prefix) :])
    return None


class _Own(Struct):
    own: Raw = Raw(b"{}")


_own = own_json(_Own)


def _flat(rest: bytes) -> bytes:
    """Return the rest of a round's event, with the keys in `own`, its last key, moved beside the others."""
    own = bytes(_own(b"{" + rest).own)
    end = b',"own":%b}' % own
    if not rest.endswith(end):
        return rest
    return rest[: -len(end)] + (b"," + own[1:] if own != b"{}" else b"}")


def _head(line: Line) -> bytes:
    """Return the fields of every message, as an unfinished JSON object. The chain is hex: it needs no escapes."""
    public = line.public
    head = EntryHead(public.v, public.table, public.shoe, public.journal, public.seq, public.at, public.boot)
    return b'%b,"head":"%b"' % (_encode(head)[:-1], line.chain.encode())
