"""Forged messages of a table, as a login at the broker alone can make them: no key is needed."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Final

from firmware_bridge.client.testing import FakeTable

_NOTE: Final = re.compile(rb'"checkpoint":"(?:[^"\\]|\\.)*",')
_SEALED: Final = b'"sealed":"%b",' % (b"ab" * 32)


def entry_of(table: FakeTable, seq: int) -> tuple[int, int]:
    """Where the messages of an entry begin and end in what a table sent."""
    found = [n for n, (_, payload) in enumerate(table.sent) if b'"seq":%d,' % seq in payload]
    return found[0], found[-1] + 1


def forged_copies(table: FakeTable, seq: int) -> list[tuple[str, bytes]]:
    """Copies of the events of an entry that have its head, and are none of its messages."""
    begin, end = entry_of(table, seq)
    events = [payload for topic, payload in table.sent[begin:end] if topic == "event"]
    *firsts, last = events
    others = [found[0] for _, payload in table.sent if (found := _NOTE.search(payload)) and found[0] not in last]
    made = [_noted(last, note) for note in (b"", b'"checkpoint":"no note",', others[0], others[-1])]
    made.append(re.sub(b'"sealed":"....', b'"sealed":"f00d', last))
    made.append(re.sub(b'"head":"[0-9a-f]{64}"},"key"', b'"head":"%b"},"key"' % (b"ab" * 32), last))
    made += [each.replace(b'"event":', proof + b'"event":', 1) for each in firsts for proof in (others[0], _SEALED)]
    made += [each.replace(b'"event":{', b'"event":{"x":1,', 1) for each in events]
    made += [re.sub(b'"of":[0-9]+', b'"of":9', each) for each in events]
    return [("event", each) for each in made if each not in events]


def forged_behind(table: FakeTable, seq: int, before: str, n: int) -> tuple[tuple[str, bytes], str]:
    """The one message of an entry that follows from a head, without a checkpoint, and its own head."""
    start = table.sent[entry_of(table, seq)[0]][1].partition(b',"head":"')[0]
    event, sealed = b'{"type":"Happened","n":%d}' % n, b"ab" * 32
    head = sha256(before.encode() + sealed + b'%b,"events":[%b]}' % (start, event)).hexdigest()
    proof = b',"head":"%b","n":1,"of":1,"sealed":"%b"' % (head.encode(), sealed)
    return ("event", b'%b%b,"event":%b}' % (start, proof, event)), head


def _noted(last: bytes, note: bytes) -> bytes:
    """A message with another checkpoint, b"" for none."""
    return _NOTE.sub(lambda _: note, last)
