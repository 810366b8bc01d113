"""Walks along the record: the lines of a journal or an export, each checked against the one before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.files import journal_id
from firmware_bridge.journal.line import Line, unseal, verify_chain


class Place(NamedTuple):
    """Where a line begins: byte `offset` of the file `path`."""

    path: Path
    offset: int


def read_lines(place: Place, before: str | None = None) -> Iterator[tuple[Line, Place]]:
    """The whole lines of a journal file from `place` on, each with the place behind it; an unfinished one is left out.

    before: as in `Walk`. Raises JournalError that names the file and the line.
    """
    path, offset = place
    walk = Walk(path.name, before, journal_id(path), 1 if offset == 0 else None, follows="the line before it")
    with path.open("rb") as file:
        file.seek(offset)
        for line in walk.lines(file):
            offset += len(line.data)
            yield line, Place(path, offset)


class Walk:
    """One way along a journal: checks checksums, numbering and the chain; remembers where it came.

    before: the chain value its first line must follow, None to take that on trust. journal: which one it must be,
    None for what its first line says. first: the number of its first line, None for any. follows: what stands before
    that, in words. After `lines`: `count` whole lines, `torn` bytes of an unfinished last one, `journal` and `chain`
    of the last whole one.
    """

    def __init__(
        self,
        name: str,
        before: str | None = None,
        journal: str | None = None,
        first: int | None = 1,
        follows: str = "the journal before it",
    ) -> None:
        self.name, self.chain, self.journal = name, before, journal
        self.count = self.torn = 0
        self._next, self._follows = first, follows

    def lines(self, source: Iterable[bytes]) -> Iterator[Line]:
        """The whole lines. Raises JournalError that names the file and the line of the first fault."""
        for data in source:
            if not data.endswith(b"\n"):
                self.torn = len(data)
                return
            line = self._checked(data)
            self.count, self._next = self.count + 1, line.public.seq + 1
            self.chain, self.journal = line.chain, line.public.journal
            yield line

    def _checked(self, data: bytes) -> Line:
        where = f"{self.name}, line {self._next or '?'}"
        try:
            line = unseal(data)
        except JournalError as error:
            raise JournalError(f"{where}: {error.what}", error.hint) from None
        public = line.public
        if (public.journal, public.seq) != (self.journal or public.journal, self._next or public.seq):
            what = f"{where}: it says it is entry {public.seq} of {public.journal}"
            raise JournalError(what, "lines were removed, added or moved: restore the file")
        if self.chain is not None and not verify_chain(line, self.chain):
            after = "the line before it" if self.count else self._follows
            raise JournalError(f"{where}: it does not follow {after}", "a line was changed: restore the file")
        return line
