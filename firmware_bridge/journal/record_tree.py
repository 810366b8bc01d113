"""The tree of a record: one leaf for each entry since the record began, and signatures over it in the journal."""

import base64
from collections import deque
from typing import Final, NamedTuple

from firmware_bridge.errors import JournalError
from firmware_bridge.facts import events
from firmware_bridge.facts.decoding import json_of
from firmware_bridge.facts.events import AnyEvent
from firmware_bridge.journal.line import NO_PROOF, Line, Proof
from firmware_bridge.journal.messages import rounds_to_sign
from firmware_bridge.record.signer import Signer, checkpoint_text, signed_note, signed_round
from firmware_bridge.record.verify import HASH_BYTES, Refused, decoded, grow, leaf_hash, root_of

SIGNED: Final = frozenset(
    (
        events.RecordBegun,
        events.BridgeStarted,
        events.ShoeOpened,
        events.RoundClosed,
        events.RoundVoided,
        events.RoundCorrected,
        events.ShoeEnded,
        events.KeyChanged,
    )
)
"""Events that close or open something: their entry carries a checkpoint."""

_CHANGES: Final = frozenset((events.RecordBegun, events.KeyChanged))
_BEGUN: Final = b'{"type":"RecordBegun",'
_decode_begun: Final = json_of(events.RecordBegun)

KEPT: Final = 4_096
"""Newest leaves that are kept in memory."""

_BLOCK: Final = 64
"""Leaves behind a kept edge: a root of the past is worked out from at most so many."""

EVERY: Final = 64
"""Entries after which one carries a checkpoint, whatever is in it."""


class RecordTree:
    """The tree up to the last line of the journal (RFC 6962): its size and the hashes of its whole subtrees.

    origin: the log's name, None before the record has begun. signers: keys that sign, none where there is no key; the
    first one signs rounds. coming: keys for the next entry that begins a record or changes its key, whenever the disk
    takes it; they sign that entry and all after it. sign_sealed: entries that seal a card carry a checkpoint too.
    note: the newest checkpoint.
    """

    def __init__(self) -> None:
        self.signers: tuple[Signer, ...] = ()
        self.coming: tuple[Signer, ...] = ()
        self.sign_sealed = False
        self.clear()

    def clear(self) -> None:
        """Empty the tree: the journal is read again."""
        self.origin: str | None = None
        self.size, self._edge, self._heads = 0, list[bytes](), list[str]()
        self.note, self._made, self._unsigned = "", "", 0
        self._blocks = deque[_Block](maxlen=KEPT // _BLOCK + 1)

    @property
    def unsigned(self) -> int:
        """Entries behind the last checkpoint."""
        return self._unsigned if self.origin is not None else 0

    @property
    def edge(self) -> list[bytes]:
        """The hashes of the tree's whole subtrees, largest first."""
        self.grow()
        return self._edge

    def grow(self) -> None:
        """Hash the entries that were added since the last time; whatever needs the hashes does it too."""
        heads, self._heads = self._heads, []
        for size, head in enumerate(heads, self.size - len(heads)):
            if not self._blocks or len(self._blocks[-1].leaves) == _BLOCK * HASH_BYTES:
                self._blocks.append(_Block(size, tuple(self._edge), bytearray()))
            leaf = _leaf(head)
            self._blocks[-1].leaves.extend(leaf)
            grow(self._edge, size, leaf)

    def root(self, size: int) -> bytes | None:
        """Return the root of the tree at an earlier size, or now; None where that is not kept."""
        self.grow()
        for block in reversed(self._blocks):
            if block.size < size <= block.size + len(block.leaves) // HASH_BYTES:
                edge = list(block.edge)
                for number in range(size - block.size):
                    grow(edge, block.size + number, _at(block.leaves, number))
                return root_of(edge)
        return None

    def leaves(self, begin: int, count: int) -> list[bytes]:
        """Return the leaves from a number on; none where the first is not kept."""
        self.grow()
        if not self._blocks or begin < self._blocks[0].size:
            return []
        kept, first = b"".join(block.leaves for block in self._blocks), begin - self._blocks[0].size
        return [_at(kept, number) for number in range(first, min(first + count, len(kept) // HASH_BYTES))]

    def prove(self, line: Line) -> Proof:
        """Return the proof of the next line; the tree stays as it is until the line is `added`."""
        assert line.entry
        made, size, origin = line.entry.events, self.size, self.origin
        is_first = line.public.seq == 1
        if isinstance(made[-1], events.RecordBegun):
            is_first, size, origin = True, 0, made[-1].origin
        is_signed = self._is_signed(made)
        if origin is None or not (is_signed or is_first):
            return NO_PROOF
        note, sigs = "", dict[str, str]()
        edge = self.edge if size else []
        if is_signed and (signers := self.coming if _changes_keys(line) else self.signers):
            root = root_of([*edge, _leaf(line.chain)])
            note = self._made = signed_note(checkpoint_text(origin, size + 1, root), signers)
            sigs = {str(n): signed_round(signers[0], payload) for n, payload in rounds_to_sign(line)}
        if is_first:
            return Proof(note, sigs, size, tuple(base64.b64encode(each).decode() for each in edge))
        return Proof(note, sigs) if note else NO_PROOF

    def added(self, line: Line) -> None:
        """Add the leaf of a line that is on disk. Raises JournalError where its proof names another tree."""
        proof = line.proof
        if isinstance(proof.size, int) and isinstance(proof.edge, tuple):
            self._resume(line, proof.size, proof.edge)
        elif self.origin is None:
            return
        self.size += 1
        self._heads.append(line.chain)  # hashed later: a card's message goes out first
        if len(self._heads) == _BLOCK:
            self.grow()
        self._unsigned = 0 if proof.note else self._unsigned + 1
        if proof.note:
            if proof.note != self._made:
                self._compare(line)
            self.note = proof.note
        if _changes_keys(line):
            self.signers, self.coming = self.coming, ()

    def _resume(self, line: Line, size: int, edge: tuple[str, ...]) -> None:
        """Take over where the first line of a file says the tree stands; one that the file before gave is compared."""
        try:
            hashes = [decoded(each, "a hash of the tree") for each in edge]
        except Refused as error:
            raise _wrong(line, str(error)) from None
        if len(hashes) != size.bit_count() or any(len(each) != 32 for each in hashes):
            raise _wrong(line, f"a tree of {size} entries has another edge")
        if (begun := begun_by(line)) is not None:
            self.origin, self.size, self._edge = begun.origin, 0, []
            self._heads.clear()
            self._blocks.clear()
        elif self.origin is None or self.size == 0:
            self.size, self._edge = size, hashes
            self.origin = self.origin or _origin(line)
        elif (size, hashes) != (self.size, self.edge):
            raise _wrong(line, f"the tree of {self.size} entries before it differs")

    def _compare(self, line: Line) -> None:
        """Compare the tree with the checkpoint of a line. Raises JournalError."""
        assert self.origin
        if not line.proof.note.startswith(checkpoint_text(self.origin, self.size, root_of(self.edge)) + "\n"):
            raise _wrong(line, "its checkpoint is of another tree")

    def _is_signed(self, made: tuple[AnyEvent, ...]) -> bool:
        if self._unsigned + 1 >= EVERY or not SIGNED.isdisjoint(map(type, made)):
            return True
        return self.sign_sealed and any(isinstance(event, events.CardEvent) and event.secret for event in made)


class _Block(NamedTuple):
    """Leaves in a row. size, edge: of the tree before them."""

    size: int
    edge: tuple[bytes, ...]
    leaves: bytearray


def _at(hashes: bytes | bytearray, number: int) -> bytes:
    return bytes(hashes[HASH_BYTES * number : HASH_BYTES * (number + 1)])


def _leaf(head: str) -> bytes:
    return leaf_hash(bytes.fromhex(head))


def _changes_keys(line: Line) -> bool:
    """Return whether the keys that sign are others from this entry on."""
    return line.entry is not None and not _CHANGES.isdisjoint(map(type, line.entry.events))


def begun_by(line: Line) -> events.RecordBegun | None:
    """Return the event that begins a record: the last one of its entry, in an export too."""
    last = bytes(line.public.events[-1])
    return _decode_begun(last) if last.startswith(_BEGUN) else None


def record_of(line: Line) -> events.RecordBegun | None:
    """Return the record that a journal goes on with, as its first line says; None in an export."""
    opened = line.entry.events[0] if line.entry else None
    return opened.device.record if isinstance(opened, events.ShoeOpened) and opened.device else None


def _origin(line: Line) -> str | None:
    """Return the log of a journal that begins in the middle of a record, by its first line."""
    if record := record_of(line):
        return record.origin
    return line.proof.note.partition("\n")[0] or None


def _wrong(line: Line, what: str) -> JournalError:
    where = f"{line.public.journal}, entry {line.public.seq}"
    return JournalError(f"{where}: {what}", "its proof was changed, or lines were: restore the file")
