"""The messages of the topics `event` and `round`, made from a journal line: the same bytes every time."""

from typing import Final, NamedTuple

import msgspec
from msgspec import Raw, Struct

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
    """All messages of a line in the order of sending: each event, and behind a round's event its `round`."""
    public = line.public
    head = _head(line)
    of = len(public.events)
    out = []
    for n, raw in enumerate(map(bytes, public.events), 1):
        start = b'%b,"n":%d,"of":%d,' % (head, n, of)
        out.append(OutMessage("event", public.journal, public.seq, n, b'%b"event":%b}' % (start, raw)))
        for prefix in _ROUNDS:
            if raw.startswith(prefix):
                payload = start + _flat(raw[len(prefix) :])
                out.append(OutMessage("round", public.journal, public.seq, n, payload))
    return out


class _Own(Struct):
    own: Raw = Raw(b"{}")


_own = msgspec.json.Decoder(_Own).decode


def _flat(rest: bytes) -> bytes:
    """The rest of a round's event, with the keys in `own`, its last key, moved beside the others."""
    own = bytes(_own(b"{" + rest).own)
    end = b',"own":%b}' % own
    if not rest.endswith(end):
        return rest
    return rest[: -len(end)] + (b"," + own[1:] if own != b"{}" else b"}")


def _head(line: Line) -> bytes:
    """The fields of every message, as an unfinished JSON object. The chain is hex digits: it needs no escapes."""
    public = line.public
    head = EntryHead(public.v, public.table, public.shoe, public.journal, public.seq, public.at, public.boot)
    return b'%b,"head":"%b"' % (_encode(head)[:-1], line.chain.encode())
