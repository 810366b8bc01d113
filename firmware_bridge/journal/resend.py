"""Parts of journals to send again: a range of entries, or everything since a time."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.errors import JournalError
from firmware_bridge.facts.book.refusals import Value
from firmware_bridge.facts.orders import Resend
from firmware_bridge.journal.files import file_name, journal_files, journal_id
from firmware_bridge.journal.line import Line, unseal
from firmware_bridge.journal.other_table import table_of
from firmware_bridge.journal.reader import Place, next_beginning, read_lines
from firmware_bridge.journal.recovery import Salvage

NEAR: Final = 16_384
"""Bytes of a journal below which the binary search ends."""

BEYOND: Final = 2**62
"""A number above those of all entries."""

FIRST, LAST = (datetime(year, 1, 1, tzinfo=UTC) for year in (1970, 9000))
"""Times before and after every entry."""

_AT: Final = b'"at":"'
"""Bytes before the time of an entry in its line; all times have one length."""


CHECKED: Final = 10
"""Entries of a part that are read before the answer; a receiver asks again from the first that does not come."""


class NotInJournal(ValueError):
    """The entries asked for are not on this disk, or unreadable. parts: those that can be sent."""

    def __init__(self, code: str, parts: "Sequence[Range]" = (), /, **values: Value) -> None:
        super().__init__(code)
        self.code, self.values, self.parts = code, values, list(parts)


class Range(NamedTuple):
    """Entries `start` to `to` (None: the last) of a journal."""

    journal: str
    start: int
    to: int | None


def ranges(directory: Path, order: Resend, table: str) -> list[Range]:
    """Return the parts of the table's journals that an order asks for. Raises NotInJournal."""
    if (order.journal is None) == (order.since is None):
        raise NotInJournal("resend_which")
    if order.journal is not None:
        return [_part(directory, table, order.journal, order.start, order.to)]
    return _since(directory, table, order.since or "")


def lines_of(directory: Path, part: Range, left_out: Callable[[JournalError], None]) -> Iterator[Line]:
    """Yield the readable lines of a part; the others are left out. Raises OSError.

    left_out: called with the error where entries of the part cannot be read.
    """
    path, offset = _near(directory / file_name(part.journal), part.start)
    salvage = Salvage(path.name, part.journal, 1 if offset == 0 else None)
    last, to = part.start - 1, BEYOND if part.to is None else part.to
    with path.open("rb") as file:
        file.seek(offset)
        for line in salvage.lines(file):
            if salvage.faults and last + 1 < min(line.public.seq, to + 1):
                left_out(salvage.faults[-1])
            if part.start <= line.public.seq <= to:
                yield line
            if (last := max(last, line.public.seq)) >= to:
                return
    if salvage.faults:
        left_out(salvage.faults[-1])


def last_entry(path: Path) -> int:
    """Return the number of a journal's last readable entry, 0 where it has none. Raises OSError."""
    salvage, seq = Salvage(path.name, journal_id(path), None), 0
    with path.open("rb") as file:
        file.seek(_near(path, BEYOND).offset)
        for line in salvage.lines(file):
            seq = line.public.seq
    return seq


def _near(path: Path, seq: int) -> Place:
    """Return a place shortly before entry `seq`, by binary search: the time does not grow with the journal."""
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
    """Return the number of a line; infinity where it is none, so that the search goes before it."""
    try:
        return unseal(data).public.seq
    except JournalError:
        return inf


def _part(directory: Path, table: str, journal: str, first: int | None, to: int | None) -> Range:
    start = 1 if first is None else first
    try:
        is_here = (directory / file_name(journal)) in journal_files(directory)
    except ValueError:
        is_here = False
    if not is_here:
        raise NotInJournal("not_on_disk", journal=journal)
    if start < 1 or (to is not None and to < start):
        raise NotInJournal("resend_from")
    part = Range(journal, start, to)
    if other := _of_another(directory / file_name(journal), table):
        raise NotInJournal("other_tables_journal", **other)
    if to is not None:
        _check(directory, part._replace(to=min(to, start + CHECKED - 1)), part)
    return part


def _of_another(path: Path, table: str) -> dict[str, Value] | None:
    """Return the table that a journal is of, and our own; None for our own, and one with an unreadable beginning."""
    with suppress(JournalError, OSError):
        if (name := table_of(path)) not in (table, None):
            return {"journal": journal_id(path), "table": name, "own": table}
    return None


def _check(directory: Path, beginning: Range, part: Range) -> None:
    """Read the beginning of a part. Raises NotInJournal where an entry of it cannot be read."""
    faults: list[JournalError] = []
    try:
        for _ in lines_of(directory, beginning, faults.append):
            pass
    except OSError as error:
        raise NotInJournal("journal_unreadable", path=file_name(part.journal), why=str(error)) from None
    if faults:
        raise NotInJournal("entry_unreadable", [part], why=faults[0].what)


def _since(directory: Path, table: str, since: str) -> list[Range]:
    try:
        earliest = datetime.fromisoformat(since)
    except ValueError:
        raise NotInJournal("since_time") from None
    if earliest.tzinfo is None:
        raise NotInJournal("since_zone")
    wanted, faults = list[Range](), list[NotInJournal]()
    for path in journal_files(directory):
        try:
            if path.stat().st_mtime < earliest.timestamp() - 1:
                continue
            if other := _of_another(path, table):
                faults.append(NotInJournal("other_tables_left_out", **other))
                continue
            faults += _faults_at_first(path)
            if (first := _first_since(path, earliest)) is not None:
                wanted.append(Range(journal_id(path), first, None))
        except OSError as error:
            faults.append(NotInJournal("journal_unreadable", path=path.name, why=str(error)))
    if faults:
        raise NotInJournal(faults[0].code, wanted, **faults[0].values)
    return wanted


def _faults_at_first(path: Path) -> list[NotInJournal]:
    """Return the errors about the first line of a journal file, at most one. Raises OSError."""
    try:
        next(read_lines(Place(path, 0)), None)
    except JournalError as error:
        return [NotInJournal("journal_unreadable", path=path.name, why=str(error))]
    return []


def _first_since(path: Path, earliest: datetime) -> int | None:
    """Return the first readable entry of a journal file at or after a time. Raises OSError."""
    since = min(max(earliest, FIRST), LAST).astimezone(UTC).isoformat(timespec="milliseconds")[:-6].encode()
    with path.open("rb") as file:  # compared as text: lines are checked when they are sent
        while data := file.readline():
            if not _is_written(data):
                next_beginning(file, file.tell() - len(data))
            elif data.partition(_AT)[2][: len(since)] >= since and (number := _number(data)) < BEYOND:
                return int(number)
    return None


def _is_written(data: bytes) -> bool:
    return data[:1] not in (b"\n", b"\0")
