"""Rebuilds the public bytes of a journal entry from its messages, and checks its `head`."""

import re
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from firmware_bridge.client.payload import MessageError
from firmware_bridge.facts.decoding import Undecodable, base64, from_json
from firmware_bridge.record.verify import ROUND_KINDS, is_signed, round_bytes, round_payload

_FORM: Final = re.compile(
    rb',"head":"([0-9a-f]{64})","n":(\d{1,6}),"of":(\d{1,6}),'
    rb'(?:"sealed":"([0-9a-f]{64})",)?(?:"checkpoint":("(?:[^"\\]|\\.)*"),)?"event":(\{(?:"type":"(\w+)")?.*\})\}',
    re.DOTALL,
)
_SIG: Final = re.compile(rb',"sig":"([A-Za-z0-9+/]{86}==)"\}')
_SIG_BYTES: Final = 98


class Part(NamedTuple):
    """A message of the topic `event` as a part of its entry.

    begin: the bytes before `head`, the same in all messages of an entry. raw, kind: the bytes of the event and its
    type. sealed, note: of the last message, else "".
    """

    begin: bytes
    head: str
    n: int
    of: int
    sealed: str
    note: str
    raw: bytes
    kind: str


def part(payload: bytes) -> Part | None:
    """Return a message of the topic `event`, bytes as they came; None if it has no `head`, or is not a table's."""
    at = payload.find(b',"head":"')
    found = _FORM.fullmatch(payload, at) if at > 0 else None
    if found is None:
        return None
    head, n, of, sealed, note, raw, kind = found.groups(b"")
    try:
        text = from_json(note, str) if note else ""
    except Undecodable:
        return None
    chain, hidden, name = (each.decode("ascii", "replace") for each in (head, sealed, kind))
    return Part(payload[:at], chain, int(n), int(of), hidden, text, raw, name)


def head_of(before: str, messages: Iterable[bytes]) -> str:
    """Return the `head` of an entry, from the head before it and all its messages of the topic `event`, in any order.

    before: hex, 64 zeros before the first entry of a device. Raises MessageError where a message is missing or does
    not belong to the others, or where the head does not follow. A `checkpoint` in them is not covered by the head: its
    own signature is (`verified_checkpoint`).
    """
    parts = [part(each) for each in messages]
    known = sorted((each for each in parts if each), key=lambda each: each.n)
    if not known or len(known) < len(parts):
        raise MessageError("not the messages of an entry", "give all its messages of the topic event, as they came")
    if not follows(before, known):
        what = f"the messages of an entry do not give its head {known[0].head[:8]}.. after {before[:8]}.."
        raise MessageError(what, "one of them was changed, or it is another entry that was before")
    return known[0].head


def public_bytes(parts: Sequence[Part]) -> bytes:
    """Return the public part of an entry's journal line. parts: all of it, by `n`."""
    return b'%b,"events":[%b]}' % (parts[0].begin, b",".join([each.raw for each in parts]))


def follows(before: str, parts: Sequence[Part]) -> bool:
    """Return whether these are all messages of an entry, by `n`, and its head follows from the head before.

    The head covers what proves the entry in its last message alone: in another message it may not stand.
    """
    first, of = parts[0], len(parts)
    for n, each in enumerate(parts, 1):
        if (each.n, each.of, each.head, each.begin) != (n, of, first.head, first.begin):
            return False
        if n < of and (each.sealed or each.note):
            return False
    made = before.encode() + parts[-1].sealed.encode() + public_bytes(parts)
    return bool(parts[-1].sealed) and sha256(made).hexdigest() == first.head


def round_of(each: Part) -> bytes | None:
    """Return the `round` message that comes with an event, without its `sig`; None for an event without one."""
    if each.kind not in ROUND_KINDS:
        return None
    return round_payload(each.begin, each.head, each.n, each.of, each.raw)


def signed_part(payload: bytes) -> tuple[bytes, bytes]:
    """Return a `round` message without its `sig`, and the signature; b"" where it has none."""
    found = _SIG.fullmatch(payload, max(0, len(payload) - _SIG_BYTES))
    return (payload[:-_SIG_BYTES] + b"}", base64(found[1])) if found else (payload, b"")


def is_round_of(public: Iterable[bytes], origin: str, payload: bytes, expected: bytes) -> bool:
    """Return whether a `round` message is the expected one, with a signature of one of these keys; any without keys."""
    bare, signature = signed_part(payload)
    if bare != expected:
        return False
    keys = tuple(public)
    return not keys or any(is_signed(key, signature, round_bytes(origin, bare)) for key in keys)
