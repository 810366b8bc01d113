"""Reads the journals on disk for sending, file after file, past what is damaged, unreadable or missing."""

import errno
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice, pairwise
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from firmware_bridge.facts.book.refusals import Phrase, Value, phrase
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import file_name, journal_files, journal_id
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.journal.recovery import Salvage

DAMAGED: Final = "journal_damaged"
MISSING: Final = "journal_missing"
"""The alarms for entries that cannot be sent."""

PASSING: Final = (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EINTR, errno.EAGAIN)
"""Errors of the machine, not of a file: reading is tried again later."""

NAMED: Final = 100
"""Missing journals that are named one by one at most."""

LeftOut = Callable[[str, Phrase | str], None]
"""`left_out(alarm, what)`: entries are not sent; `what` names the file: a row of `DISK`, or a fault in English."""


class Part(NamedTuple):
    """Lines read, each with the place behind it. place: where to continue. is_end: it is the end of the newest file."""

    lines: list[tuple[Line, Place]]
    place: Place | None
    is_end: bool


class Backlog:
    """The lines of all journals in a directory, from a place on.

    A line that cannot be trusted is left out, as is the rest of a file that cannot be read; each file is reported once.
    """

    def __init__(self, directory: Path, left_out: LeftOut) -> None:
        self._directory, self._left_out = directory, left_out
        self._names: dict[int, str] = {}
        self._reported: set[tuple[str, str]] = set()

    def note(self, path: Path) -> None:
        """Note the name of a file, by which it is reported if it is missing later."""
        self._names[_number(path)] = path.name

    def look(self) -> None:
        """Report each journal that is missing between two others; a directory that cannot be read is not looked at."""
        with suppress(OSError):
            for before, path in pairwise(self._files()):
                self._compare(before, path)

    def read(self, place: Place | None, most: int) -> Part:
        """Return at most so many lines from a place on (None: the first file), of one file or more. Raises OSError."""
        lines: list[tuple[Line, Place]] = []
        while True:
            if place is None:
                files = self._files()
                if not files:
                    return Part(lines, None, is_end=True)
                place = Place(files[0], 0)
            read, is_whole = self._lines_of(place, most - len(lines))
            lines += read
            place = lines[-1][1] if read else place
            if not is_whole:
                return Part(lines, place, is_end=False)
            following = self._following(place.path)
            if following is None:
                return Part(lines, place, is_end=True)
            place = Place(following, 0)

    def _lines_of(self, place: Place, most: int) -> tuple[list[tuple[Line, Place]], bool]:
        """Return at most so many readable lines of a file, and whether these are all to its end. Raises OSError."""
        read: list[tuple[Line, Place]] = []
        try:
            for each in islice(self._salvaged(place), most):
                read.append(each)  # those read before an error count
        except FileNotFoundError:
            self._report(MISSING, place.path.name, phrase("journal_missing", journal=place.path.name))
        except OSError as error:
            if error.errno in PASSING:
                raise
            name, why = place.path.name, os.strerror(error.errno or errno.EIO)
            self._report(DAMAGED, name, phrase("journal_unreadable", journal=name, error=why))
        else:
            return read, len(read) < most
        return read, True

    def _salvaged(self, place: Place) -> Iterator[tuple[Line, Place]]:
        path, offset = place
        salvage = Salvage(path.name, journal_id(path), 1 if offset == 0 else None)
        with path.open("rb") as file:
            file.seek(offset)
            for line in salvage.lines(file):
                self._report_faults(salvage)
                yield line, Place(path, file.tell())
        self._report_faults(salvage)

    def _report_faults(self, salvage: Salvage) -> None:
        for fault in salvage.faults[:1]:
            self._report(DAMAGED, salvage.name, fault.what)

    def _following(self, path: Path) -> Path | None:
        """Return the next file, whether or not the one before it is still there."""
        following = next((each for each in self._files() if each.name > path.name), None)
        if following:
            self._compare(path, following)
        return following

    def _compare(self, before: Path, path: Path) -> None:
        """Report the journals with numbers between those of two files."""
        first, last = _number(before) + 1, _number(path) - 1
        known = [self._names[n] for n in range(first, min(last, first + NAMED) + 1) if n in self._names]
        if first == last or (known and len(known) == last - first + 1):
            for name in known or (f"journal {first}",):
                self._report(MISSING, name, phrase("journal_missing", journal=name))
        elif first < last:
            missing = phrase("journals_missing", first=first, last=last)
            self._report(MISSING, f"journals {first} to {last}", missing)

    def _files(self) -> list[Path]:
        files = journal_files(self._directory)
        self._names |= {_number(path): path.name for path in files}
        return files

    def _report(self, alarm: str, of: str, what: Phrase | str) -> None:
        if (alarm, of) not in self._reported:
            self._reported.add((alarm, of))
            self._left_out(alarm, what)


FILES_NAMED: Final = 5
"""Files that such an alarm names at most."""


class Warns(Protocol):
    """A table, as far as alarms need it."""

    def warn(self, alarm: str, /, **values: Value) -> None:
        """Raise an alarm."""

    def unwarn(self, alarm: str, /) -> None:
        """Clear an alarm."""


class UnsentAlarms:
    """Raises the alarms for entries that cannot be sent; each names its files, until the daemon ends."""

    def __init__(self, table: Warns) -> None:
        self._table = table
        self._what: dict[str, list[Phrase | str]] = {DAMAGED: [], MISSING: []}

    def raise_(self, alarm: str, what: Phrase | str) -> None:
        """Raise an alarm, or renew it with another file."""
        self._what[alarm].append(what)
        named, more = self._what[alarm][:FILES_NAMED], len(self._what[alarm]) - FILES_NAMED
        self._table.unwarn(alarm)
        beyond: dict[str, Value] = {"more": more} if more > 0 else {}
        self._table.warn(alarm, what=tuple(named), **beyond)


def place_behind(directory: Path, cursor: Cursor | None) -> Place | None:
    """Return the place behind the cursor's entry; None for the beginning of all files, also where its file is deleted.

    Raises JournalError, OSError.
    """
    if cursor is None:
        return None
    start = Place(directory / file_name(cursor.journal), 0)
    if not start.path.exists():
        return None
    return [start, *(place for _, place in islice(read_lines(start), cursor.seq))][-1]


def _number(path: Path) -> int:
    return int(path.name.split("-")[0])
