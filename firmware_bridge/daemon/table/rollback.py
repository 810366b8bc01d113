"""Proofs that a table's record was taken back: its key or its store states more entries than are here, or others."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec
from msgspec import Struct

from firmware_bridge.config.whole_file import write_whole
from firmware_bridge.facts.decoding import Undecodable, from_json
from firmware_bridge.facts.events import RecordBegun
from firmware_bridge.facts.wire import Stored
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.record.verify import parse_checkpoint, parse_note, parse_vkey, verified_checkpoint

FILE: Final = "rolled-back.json"
"""The newest proof, in the directory of the journals."""

By = Literal["witnesses", "broker", "store", "stored"]
"""The source: a cosigned note, the retained checkpoint, a checkpoint that the store has, or its bare word."""


class Proof(Struct, frozen=True):
    """What proves that the record `origin` was taken back.

    entries: that there were, of the record; by "stored", of `journal`. here: of them on this disk. text: the note, or
    the message, as it came.
    """

    origin: str
    by: By
    entries: int
    here: int
    text: str
    journal: str = ""

    @property
    def values(self) -> dict[str, Any]:
        """The values of its alarm: texts and numbers."""
        given: dict[str, Any] = {"proof": self.by, "entries": self.entries, "here": self.here}
        return given | ({"journal": self.journal} if self.journal else {})


class Own(NamedTuple):
    """What a table has of its present record.

    size: its entries. root: that of the tree at an earlier size; None where it is not known. last: the newest entry.
    """

    begun: RecordBegun
    size: int
    root: Callable[[int], bytes | None]
    last: Cursor


def by_note(by: By, text: str, own: Own) -> Proof | None:
    """Return the proof that a note makes: one of the present key over more entries of this record, or over other ones.

    None where it agrees, is of another record, or what it is compared with is gone. A signature is verified only where
    it would prove something. Raises Refused.
    """
    note = parse_note(text)
    stated = parse_checkpoint(note.text)
    if stated.origin != own.begun.origin:
        return None
    if stated.size <= own.size and own.root(stated.size) in (None, stated.root):
        return None
    verified_checkpoint(note, [parse_vkey(own.begun.key)])
    return Proof(stated.origin, by, stated.size, own.size, text)


def by_word(claim: Stored, own: Own) -> Proof | None:
    """Return the proof that a store's word makes, signed by its key: an entry beyond the end of the newest journal.

    Of another journal it proves nothing: another Pi of the same table may have written it. Nor of the one in which the
    record took over from another one: entries of before may be missing there for good.
    """
    journal, end = own.last
    took_over = own.begun.follows.origin is not None and own.size < end
    if claim.journal != journal or claim.seq <= end or took_over:
        return None
    text = str(msgspec.json.encode(claim), "utf-8")
    return Proof(own.begun.origin, "stored", claim.seq, end, text, journal)


def keep(directory: Path, proof: Proof) -> None:
    """Keep a proof on disk: a restart signs nothing either, whatever is deleted elsewhere. Raises OSError."""
    write_whole(directory / FILE, msgspec.json.encode(proof))


def kept(directory: Path, origin: str) -> Proof | None:
    """Return the proof that is kept of a record; None for none, or an unreadable one."""
    try:
        proof = from_json((directory / FILE).read_bytes(), Proof)
    except (OSError, Undecodable):
        return None
    return proof if proof.origin == origin else None
