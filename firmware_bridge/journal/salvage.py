"""Reads what is left of a damaged journal: every line that can be read, and what is wrong with the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.line import Line, unseal
from firmware_bridge.journal.walk import Walk, next_beginning


class Salvage:
    """One way along a journal that goes on behind what cannot be read.

    Each line is checked as a `Walk` does; the first one behind a fault is taken on trust, as far as its number is
    above all before. name, journal, first: as in `Walk`. `faults`: what is wrong with what was left out since the line
    before, in place of one line or more; a line at the end that is not whole too.
    """

    def __init__(self, name: str, journal: str | None = None, first: int | None = 1) -> None:
        self.name, self.faults = name, list[JournalError]()
        self._walk, self._last = Walk(name, None, journal, first, follows="the line before it"), 0

    def lines(self, source: BinaryIO) -> Iterator[Line]:
        """The lines that can be read, of a file."""
        at: int | None = source.tell()
        while at is not None:
            try:
                for line in self._walk.lines(source):
                    if line.public.seq <= self._last:
                        raise JournalError(f"{self.name}: entry {line.public.seq} again", "restore the file")
                    at, self._last = at + len(line.data), line.public.seq
                    yield line
                    self.faults = []
                if self._walk.torn:
                    self.faults.append(self._walk.fault)
                return
            except JournalError as fault:
                self.faults.append(fault)
            if self._is_fresh or not self._is_later(source, at):
                at = next_beginning(source, at)
            self._walk = Walk(self.name, None, self._walk.journal, None)

    @property
    def _is_fresh(self) -> bool:
        """Whether the next line is taken on trust already."""
        return self._walk.count == 0 and bool(self.faults[:-1])

    def _is_later(self, source: BinaryIO, at: int) -> bool:
        """Go to a line; whether it is sound by itself, and only something is missing before it."""
        source.seek(at)
        try:
            is_later = unseal(source.readline()).public.seq > self._last + 1
        except JournalError:
            is_later = False
        source.seek(at)
        return is_later
