"""Reads the lines of a journal or an export, each checked against the one before."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Final, NamedTuple

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.files import journal_id
from firmware_bridge.journal.line import Line, NotWhole, unseal, verify_chain
from firmware_bridge.journal.preallocate import FILL, is_fill

_BEGINNING: Final = re.compile(rb"\d\t[0-9a-f]{8}\t[0-9a-f]{64}\t")
"""The beginning of every line; it does not occur inside one, as JSON holds no TAB."""

READ_AGAIN: Final = 3
"""Times that the end of a file is read again while a daemon writes to it."""


class Place(NamedTuple):
    """The beginning of a line: byte `offset` of the file `path`."""

    path: Path
    offset: int


def read_lines(place: Place, before: str | None = None, *, whole: bool = False) -> Iterator[tuple[Line, Place]]:
    """Yield the whole lines of a journal file from `place` on, each with the place behind it; an unfinished one is left
    out.

    before: as in `Walk`. whole: none may be unfinished. Raises JournalError with the file and the line.
    """
    path, offset = place
    walk = Walk(path.name, before, journal_id(path), 1 if offset == 0 else None, follows="the line before it")
    with path.open("rb") as file:
        file.seek(offset)
        for line in walk.lines(file):
            offset += len(line.data)
            yield line, Place(path, offset)
    if whole and walk.torn:
        raise walk.fault


class Walk:
    """One pass along a journal: checks checksums, numbers, the chain, and that the format stays one.

    before: the chain value that the first line must follow, None to trust it. journal: the expected one, None for that
    of the first line. first: the number of the first line, None for any. follows: what precedes it, as text. After
    `lines`: `count` whole lines, `journal` and `chain` of the last one; `torn` bytes of an unfinished one behind it,
    and the `fault` in it.
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
        self._v: int | None = None
        self.fault = JournalError("nothing is wrong", "")
        self._next, self._follows = first, follows

    def lines(self, source: BinaryIO) -> Iterator[Line]:
        """Yield the whole lines; only unwritten space, or one unfinished line, may follow them.

        Raises JournalError with the file and the line of the first fault.
        """
        at = source.tell() if source.seekable() else None
        patience = READ_AGAIN
        while data := source.readline():
            try:
                line = self._checked(data)
            except NotWhole as fault:
                rest = data + source.read()
                if is_fill(rest):
                    return
                if at is None or not patience or _read_from(source, at) == rest:
                    self._end(rest, fault)
                    return
                source.seek(at)
                patience -= 1
                continue
            at = None if at is None else at + len(data)
            patience = READ_AGAIN
            self.count, self._next = self.count + 1, line.public.seq + 1
            self.chain, self.journal, self._v = line.chain, line.public.journal, line.public.v
            yield line

    def _end(self, rest: bytes, fault: NotWhole) -> None:
        """End with an unfinished last line. Raises its fault if another line begins behind it."""
        if _BEGINNING.search(rest, 1):
            raise fault
        self.torn, self.fault = len(rest.rstrip(FILL)), fault

    def _checked(self, data: bytes) -> Line:
        where = f"{self.name}, line {self._next or '?'}"
        try:
            line = unseal(data)
        except JournalError as error:
            raise type(error)(f"{where}: {error.what}", error.hint) from None
        public = line.public
        if (public.journal, public.seq) != (self.journal or public.journal, self._next or public.seq):
            what = f"{where}: it says it is entry {public.seq} of {public.journal}"
            raise JournalError(what, "lines were removed, added or moved: restore the file")
        if self.chain is not None and not verify_chain(line, self.chain):
            after = "the line before it" if self.count else self._follows
            raise JournalError(f"{where}: it does not follow {after}", "a line was changed: restore the file")
        if public.v != (self._v or public.v):
            what = f"{where}: its format is not that of the lines before it"
            raise JournalError(what, "a file has one format: call the maker")
        return line


def next_beginning(source: BinaryIO, offset: int) -> int | None:
    """Seek the beginning of the next line behind `offset`; return its offset, or None, at the end."""
    if (found := _BEGINNING.search(_read_from(source, offset), 1)) is None:
        return None
    return source.seek(offset + found.start())


def _read_from(source: BinaryIO, at: int) -> bytes:
    source.seek(at)
    return source.read()
