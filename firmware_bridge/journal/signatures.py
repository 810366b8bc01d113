"""Checks the signed record of journals: the tree, its checkpoints, and the signatures of rounds."""

import re
from collections.abc import Iterable
from typing import Any, Final

from firmware_bridge.errors import JournalError
from firmware_bridge.facts.decoding import base64, from_json
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.messages import rounds_to_sign
from firmware_bridge.journal.record_tree import RecordTree, begun_by, record_of
from firmware_bridge.record.verify import (
    SIGNED_KINDS,
    Key,
    Refused,
    is_signed,
    parse_note,
    parse_vkey,
    round_bytes,
    verified_checkpoint,
)

_KIND: Final = re.compile(rb'\{"type":"(\w+)"')
_CHANGED: Final = b'{"type":"KeyChanged",'


class Signatures:
    """One pass along journals, file after file. keys: those to trust; without them the record's own, by itself.

    checkpoints: signed ones so far. unsigned: the first entry of a record that closes or opens something, and which no
    checkpoint covers so far; "" for none.
    """

    def __init__(self, keys: Iterable[Key] = ()) -> None:
        self._trusted, self._own = tuple(keys), list[Key]()
        self._tree = RecordTree()
        self.checkpoints, self.unsigned = 0, ""

    @property
    def signed(self) -> tuple[int, int]:
        """Entries of the record up to the last checkpoint, and all of them."""
        return self._tree.size - self._tree.unsigned, self._tree.size

    def check(self, line: Line) -> None:
        """Check the next line. Raises JournalError."""
        try:
            self._learn(line)
            self._tree.added(line)
            if line.proof.note:
                self._verify(line)
                self.unsigned = ""
            elif self._tree.origin and not self.unsigned and _closes(line):
                self.unsigned = f"entry {line.public.seq} of {line.public.journal}"
        except Refused as error:
            raise JournalError(str(error), "the record was changed: restore the file") from None

    def _learn(self, line: Line) -> None:
        """Take the keys that the record itself names."""
        record = begun_by(line) or (record_of(line) if line.public.seq == 1 else None)
        if record:
            self._own = [parse_vkey(record.key)]
        for raw in map(bytes, line.public.events):
            if raw.startswith(_CHANGED):
                changed: dict[str, Any] = from_json(raw)
                self._own = [parse_vkey(changed[name]) for name in ("new", "old") if changed[name]]

    def _verify(self, line: Line) -> None:
        keys = self._trusted or self._own
        if not keys:
            return  # an export that begins in the middle, without a policy
        stated = verified_checkpoint(parse_note(line.proof.note), keys)
        self.checkpoints += 1
        for n, payload in rounds_to_sign(line):
            signature = base64(line.proof.sigs.get(str(n), ""))
            if not any(is_signed(key.public, signature, round_bytes(stated.origin, payload)) for key in keys):
                raise Refused(f"the round in event {n} is not signed")


def _closes(line: Line) -> bool:
    """Return whether an entry closes or opens something."""
    found = (_KIND.match(bytes(raw)) for raw in line.public.events)
    return any(each and each[1].decode("ascii", "replace") in SIGNED_KINDS for each in found)
