"""What a backend may ask to be sent again: a part of a journal, or everything since a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import takewhile
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.errors import JournalError
from firmware_bridge.facts.orders import Resend
from firmware_bridge.journal.files import file_name, journal_files, journal_id
from firmware_bridge.journal.line import Line, unseal
from firmware_bridge.journal.walk import Place, read_lines

NEAR: Final = 16_384
"""Bytes of a journal that are read one after the other, rather than halved."""

BEYOND: Final = 2**62
"""A number that no entry has."""

FIRST, LAST = (datetime(year, 1, 1, tzinfo=UTC) for year in (1970, 9000))
"""Times that were before, or will come after, every entry."""

_AT: Final = b'"at":"'
"""What stands before the time of an entry in its line; all times are of one length."""


class NotInJournal(ValueError):
    """What was asked for is not on this disk."""


class Range(NamedTuple):
    """Entries `start` to `to` (None: the last) of a journal."""

    journal: str
    start: int
    to: int | None


def ranges(directory: Path, order: Resend) -> list[Range]:
    """The parts of the journals an order asks for. Raises NotInJournal with what is wrong with it."""
    if (order.journal is None) == (order.since is None):
        raise NotInJournal('give either "journal" (with "from" and "to") or "since"')
    if order.journal is not None:
        return [_part(directory, order.journal, 1 if order.start is None else order.start, order.to)]
    return _since(directory, order.since or "")


def lines_of(directory: Path, part: Range) -> Iterator[Line]:
    """The lines of a part, read from near its first entry on. Raises JournalError, OSError."""
    for line, _ in read_lines(_near(directory / file_name(part.journal), part.start), whole=True):
        if part.to is not None and line.public.seq > part.to:
            return
        if line.public.seq >= part.start:
            yield line


def last_entry(path: Path) -> int:
    """The number of a journal's last entry, 0 where it has none. Raises JournalError, OSError."""
    seq = 0
    for line, _ in read_lines(_near(path, BEYOND)):
        seq = line.public.seq
    return seq


def _near(path: Path, seq: int) -> Place:
    """A place shortly before entry `seq`: the file is halved, so what is read does not grow with the journal."""
    low, high = 0, path.stat().st_size
    with path.open("rb") as file:
        while high - low > NEAR:
            middle = (low + high) // 2
            file.seek(middle)
            file.readline()
            place = file.tell()
            if place < high and _number(file.readline()) <= seq:
                low = place
            else:
                high = middle
    return Place(path, low)


def _number(data: bytes) -> float:
    """The number of a line; beyond every other where it is none: what comes before is then read to find out."""
    try:
        return unseal(data).public.seq
    except JournalError:
        return inf


def _part(directory: Path, journal: str, start: int, to: int | None) -> Range:
    try:
        is_here = (directory / file_name(journal)) in journal_files(directory)
    except ValueError:
        is_here = False
    if not is_here:
        raise NotInJournal(f"journal {journal} is not on this disk")
    if start < 1 or (to is not None and to < start):
        raise NotInJournal('"from" is 1 or more, and "to" not before it')
    return Range(journal, start, to)


def _since(directory: Path, since: str) -> list[Range]:
    try:
        earliest = datetime.fromisoformat(since)
    except ValueError:
        raise NotInJournal('"since" is a time like 2026-11-20T21:33:05Z') from None
    if earliest.tzinfo is None:
        raise NotInJournal('"since" needs a time zone: end it with Z')
    wanted = []
    for path in journal_files(directory):
        try:
            first = _first_since(path, earliest)
        except (JournalError, OSError) as error:
            raise NotInJournal(f"{path.name} cannot be read ({error})") from None
        if first is not None:
            wanted.append(Range(journal_id(path), first, None))
    return wanted


def _is_written(data: bytes) -> bool:
    return data[:1] not in (b"\n", b"\0")


def _first_since(path: Path, earliest: datetime) -> int | None:
    """The first entry of a journal file at or after a time. Raises JournalError, OSError."""
    if path.stat().st_mtime < earliest.timestamp() - 1:
        return None
    next(read_lines(Place(path, 0)), None)
    since = min(max(earliest, FIRST), LAST).astimezone(UTC).isoformat(timespec="milliseconds")[:-6].encode()
    with path.open("rb") as file:  # as text: lines are checked when they are sent
        for number, data in enumerate(takewhile(_is_written, file), 1):
            begin = data.find(_AT) + len(_AT)
            if data[begin : begin + len(since)] >= since:
                return number
    return None
