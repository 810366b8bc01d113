"""The body of `POST /add-checkpoint` (C2SP tlog-witness): the size that a witness has, a proof, a checkpoint."""

import re
from base64 import b64encode
from collections.abc import Sequence
from typing import Final, NamedTuple

from firmware_bridge.facts.decoding import Undecodable, text_of
from firmware_bridge.record.verify import HASH_BYTES, Checkpoint, Note, Refused, decoded, parse_checkpoint, parse_note

PATH: Final = "/add-checkpoint"

MOST_HASHES: Final = 63
"""Most hashes of a proof."""

LARGEST: Final = 2**63 - 1
"""The largest size of a tree that a file of SQLite can hold."""

_OLD: Final = re.compile(r"old (0|[1-9][0-9]{0,18})", re.ASCII)


class Request(NamedTuple):
    """A request as it was read. old: size of the tree that the witness has seen; note: the checkpoint, as sent."""

    old: int
    proof: tuple[bytes, ...]
    note: Note
    text: str
    stated: Checkpoint


def parse(body: bytes) -> Request:
    """Return the parts of a request; no signature is verified. Raises Refused."""
    try:
        first, blank, note = text_of(body).partition("\n\n")
    except Undecodable:
        raise Refused("the request is not UTF-8") from None
    head, *lines = first.split("\n")
    old = _OLD.fullmatch(head)
    if not blank or old is None:
        raise Refused("a request begins with the line `old SIZE`, the proof and a blank line")
    if len(lines) > MOST_HASHES:
        raise Refused(f"a proof has at most {MOST_HASHES} hashes")
    proof = tuple([decoded(line, "a hash of the proof") for line in lines])
    if any(len(each) != HASH_BYTES for each in proof):
        raise Refused(f"a hash of the proof is not of {HASH_BYTES} bytes")
    signed = parse_note(note)
    stated = parse_checkpoint(signed.text)
    if stated.size > LARGEST:
        raise Refused(f"a tree of {stated.size} entries is too large")
    return Request(int(old[1]), proof, signed, note, stated)


def body_of(old: int, proof: Sequence[bytes], note: str) -> bytes:
    """Return the body that asks for a cosignature on a note. proof: of consistency from `old` to the note's size."""
    return "".join([f"old {old}\n", *(f"{b64encode(each).decode()}\n" for each in proof), "\n", note]).encode()
