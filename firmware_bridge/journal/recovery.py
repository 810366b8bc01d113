"""Recovery of the record: lines that a start trusts, its refusal, and reading of a damaged journal."""

import logging
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import file_name, journal_files, journal_id
from firmware_bridge.journal.line import FIRST_CHAIN, V_OF, Line, format_of, unseal
from firmware_bridge.journal.reader import Place, Walk, next_beginning, read_lines

log = logging.getLogger(__name__)
_MOVED_ASIDE = (
    "sudo systemctl stop firmware-bridge; sudo mv {0} {0}.{1}; "
    "sudo install -d -m 0700 -o shoe-bridge -g shoe-bridge {0}; sudo cp -p {0}.{1}/calibration.toml {0}/; "
    "a native reader: unplug it and plug it in again; sudo systemctl start firmware-bridge"
)


def verify_newest(directory: Path, cursor: Cursor | None) -> Path | None:
    """Return the newest file, read as at a start, but without changes; None where there is no whole line.

    A daemon may be writing it, if `cursor` was read before. Raises JournalError as a start does.
    """
    verify_format(directory)
    files = begun_files(journal_files(directory), cursor)
    for _ in trusted_lines(files, cursor):
        pass
    return files[-1] if files else None


def verify_format(directory: Path) -> None:
    """Check the first and the last journal; write nothing. Raises JournalError for another format, OSError."""
    files = journal_files(directory)
    for path in files[:1] + files[-1:]:
        with path.open("rb") as file:
            line = file.readline()
        if (found := format_of(line)) not in (None, *V_OF) and not _is_ours(line):
            known = " and ".join(map(str, V_OF))
            what = f"{path.name} is a journal of format {found}, and this version reads formats {known}"
            raise JournalError(what, "install the version that wrote it")


def trusted_lines(files: list[Path], cursor: Cursor | None) -> Iterator[tuple[Line, Place]]:
    """Yield the lines of the newest file, each with the place behind it, without an unconfirmed last one.

    A line is unconfirmed if it is unfinished, beyond the cursor, and nothing was written behind it. The lines follow
    the file before; from the cursor on nothing is missing. Raises JournalError for anything else.
    """
    if cursor:
        _check_cursor(files, cursor)
    if not files:
        return
    newest, seq = files[-1], 0
    before = last_chain(files[-2]) if len(files) > 1 else None
    for line, place in read_lines(Place(newest, 0), before=before):
        if line.entry is None:
            raise JournalError(f"{newest.name}: sealed parts are missing", "this is an export: restore the original")
        seq = line.public.seq
        yield line, place
    if cursor and cursor.journal == journal_id(newest) and seq < cursor.seq:
        raise _removed(newest, seq, cursor)


def begun_files(files: list[Path], cursor: Cursor | None) -> list[Path]:
    """Return all files but a newest one without a whole line, never confirmed. Raises JournalError as a start does."""
    if not files or (cursor and cursor.journal == journal_id(files[-1])):
        return files
    has_begun = next(read_lines(Place(files[-1], 0)), None) is not None
    return files if has_begun else files[:-1]


def last_chain(path: Path) -> str:
    """Return the chain value at the end of a file. Raises JournalError if a line is not whole."""
    chain = FIRST_CHAIN
    for line, _ in read_lines(Place(path, 0), whole=True):
        chain = line.chain
    return chain


def refusal(error: JournalError | OSError, directory: Path) -> JournalError:
    """Return the error that refuses a start, with the way to deal again; only one with journals must be moved."""
    if not _has_been_ours(directory):
        what = error.what if isinstance(error, JournalError) else f"{directory}: {error.strerror or error}"
        return JournalError(what, "use a directory of its own: [journal] dir")
    what = f"the journal cannot be read ({error})"
    hint = "the daemon's user must own it; if dmesg shows errors of the SD card, replace it"
    if isinstance(error, JournalError):
        what, hint = error.what, error.hint
    over = f"if you cannot, continue with a new record: {moved_aside(directory, 'damaged')}"
    return JournalError(what, f"{hint}; {over} (what is lost: shoe help damaged journal)")


def moved_aside(directory: Path, name: str) -> str:
    """Return the steps that put a directory of journals aside, with `name` behind its own, and begin an empty one."""
    return _MOVED_ASIDE.format(directory, name)


class Salvage:
    """One pass along a damaged journal: continues behind lines that cannot be read.

    Each line is checked as by a `Walk`; the first one behind a fault is trusted if its number is above all before.
    name, journal, first: as in `Walk`. `faults`: errors of what was left out since the line before, one or more lines;
    an unfinished last line too.
    """

    def __init__(self, name: str, journal: str | None = None, first: int | None = 1) -> None:
        self.name, self.faults = name, list[JournalError]()
        self._walk, self._last = Walk(name, None, journal, first, follows="the line before it"), 0

    def lines(self, source: BinaryIO) -> Iterator[Line]:
        """Yield the readable lines of a file."""
        at: int | None = source.tell()
        while at is not None:
            try:
                for line in self._walk.lines(source):
                    if line.public.seq <= self._last:
                        raise JournalError(f"{self.name}: entry {line.public.seq} is there twice", "restore the file")
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
        """Whether the next line is already trusted."""
        return self._walk.count == 0 and bool(self.faults[:-1])

    def _is_later(self, source: BinaryIO, at: int) -> bool:
        """Seek a line; return whether it is sound by itself, with lines missing before it."""
        source.seek(at)
        try:
            is_later = unseal(source.readline()).public.seq > self._last + 1
        except JournalError:
            is_later = False
        source.seek(at)
        return is_later


def _is_ours(line: bytes) -> bool:
    """Return whether only the number of the format is damaged."""
    return any(_is_whole(b"%d%b" % (number, line[line.index(b"\t") :])) for number in V_OF)


def _is_whole(line: bytes) -> bool:
    try:
        unseal(line)
    except JournalError:
        return False
    return True


def _check_cursor(files: list[Path], cursor: Cursor) -> None:
    """Check that everything from the cursor on is still here. Raises JournalError.

    Files that were sent may be deleted before a cursor that says so is on disk. So with a cursor older than the first
    file, all files are sent again, as long as none is missing up to the end.
    """
    kept = [path for path in files if path.name >= file_name(cursor.journal)]
    numbers, first = [_number(path.name) for path in kept], _number(cursor.journal)
    if kept == files and numbers and numbers[0] > first:
        log.warning("the cursor is older than %s: everything from there on is sent again", files[0].name)
        first = numbers[0]
    if not numbers or numbers != list(range(first, first + len(numbers))):
        have = ", ".join(map(str, numbers)) or "none"
        gaps = [
            f"journal {a + 1}" + f" to {b - 1}" * (b > a + 2) for a, b in pairwise((first - 1, *numbers)) if b > a + 1
        ]
        named = f"; missing: {', '.join(gaps)}" if gaps else ""
        raise JournalError(
            f"journal files from {file_name(cursor.journal)} on are missing (there are: {have}{named})",
            "restore them; the broker has received their entries",
        )
    before = None
    for path in kept[:-1]:  # the newest is read when it is folded
        count = 0
        for line, _ in read_lines(Place(path, 0), before, whole=True):
            before, count = line.chain, line.public.seq
        if journal_id(path) == cursor.journal and count < cursor.seq:
            raise _removed(path, count, cursor)


def _removed(path: Path, have: int, cursor: Cursor) -> JournalError:
    return JournalError(
        f"{path.name} ends after line {have}, but the broker received line {cursor.seq}",
        "lines were removed: restore the file",
    )


def _number(name: str) -> int:
    """Return the number in a journal id or file name."""
    return int(name.split("-")[0])


def _has_been_ours(directory: Path) -> bool:
    """Return whether there are journals, or a cursor."""
    return directory.is_dir() and bool(journal_files(directory) or (directory / "cursor").exists())
