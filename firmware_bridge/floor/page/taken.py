"""Who goes to which open alarm of a table: a file that is only added to, and that all pages of a machine share.

An entry counts as long as its alarm is open, so it needs no end of its own. Without a file it is kept in memory.
"""

import logging
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec
from msgspec import Meta, Struct

from firmware_bridge.config.whole_file import write_whole
from firmware_bridge.facts.decoding import Undecodable, from_json
from firmware_bridge.floor.page.people import LONGEST_NAME, alone

log = logging.getLogger(__name__)

LONGEST_NOTE: Final = 200
"""Most characters of a note."""

LARGEST: Final = 8 * 1024 * 1024
"""Bytes of the file from which on the next entry begins a new one; the one before is kept as `.before`."""

MOST: Final = 10_000
"""Most entries in memory; beyond, those of alarms that are open no more are forgotten first."""

OF_A_TABLE: Final = 100
"""Most entries of a table in memory, the newest."""

SILENCE: Final = "silent"
"""What stands for the id of an alarm where a table has no connection."""


class Overtaken(Exception):
    """An act on an alarm that another one has taken, or given back, since."""


class AlarmKey(NamedTuple):
    """An open alarm of a table. since: when it was opened, in ms by the table's clock."""

    id: str
    since: int


class Taken(Struct, frozen=True, omit_defaults=True):
    """An entry. name: who goes now, "" for none. by: who said so. at: ms since 1970. since: as in `AlarmKey`."""

    at: int
    table: Annotated[str, Meta(max_length=64)]
    alarm: Annotated[str, Meta(max_length=64)]
    since: int
    by: Annotated[str, Meta(max_length=LONGEST_NAME)]
    name: Annotated[str, Meta(max_length=LONGEST_NAME)] = ""
    note: Annotated[str, Meta(max_length=LONGEST_NOTE)] = ""

    @property
    def key(self) -> AlarmKey:
        """The alarm that it is about."""
        return AlarmKey(self.alarm, self.since)


NOTHING: Final[Mapping[AlarmKey, Taken]] = {}


class Takings:
    """The newest entry of each alarm. path: None to keep them in memory alone."""

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._tables: dict[str, Mapping[AlarmKey, Taken]] = {}
        self._file: tuple[int, int] = 0, 0
        self._is_unread = False

    def of(self, table: str) -> Mapping[AlarmKey, Taken]:
        """Return the entries of a table with a name; the same object until one changes."""
        return self._tables.get(table, NOTHING)

    def all_of(self, name: str) -> list[Taken]:
        """Return the entries of a person, by table."""
        return [each for _, kept in sorted(self._tables.items()) for each in kept.values() if each.name == name]

    def refresh(self) -> set[str]:
        """Read what any page has added; return the tables with a change."""
        if self._path is None:
            return set()
        try:
            found = self._path.stat()
            if (found.st_ino, found.st_size) == self._file and not self._is_unread:
                return set()
            changed = self._read(self._path)
            self._is_unread = False
            return changed
        except FileNotFoundError:
            return set()
        except OSError as error:
            if not self._is_unread:
                log.warning("who goes to which alarm cannot be read: %s: %s", self._path, error.strerror)
            self._is_unread = True
            return set()

    def add(self, entries: list[Taken], before: Callable[[Taken], str | None] = lambda entry: None) -> set[str]:
        """Add entries in one write; return the tables with a change.

        before: who has to go to its alarm by then, "" for none, None for anybody. Raises Overtaken, ConfigError.
        """
        if self._path is None:
            self._verify(entries, before)
            return {table for each in entries for table in self._keep(each)}
        with alone(self._path):
            changed = self.refresh()
            self._verify(entries, before)
            self._append(self._path, entries)
            return changed | self.refresh()

    def forget(self, is_open: Callable[[str, AlarmKey], bool]) -> None:
        """Forget entries of alarms that are open no more, where there are too many; the file keeps them."""
        if sum(map(len, self._tables.values())) > MOST:
            for table, kept in list(self._tables.items()):
                self._tables[table] = {key: each for key, each in kept.items() if is_open(table, key)}

    def _verify(self, entries: list[Taken], before: Callable[[Taken], str | None]) -> None:
        for each in entries:
            wanted, now = before(each), self.of(each.table).get(each.key)
            if wanted is not None and wanted != (now.name if now else ""):
                raise Overtaken

    def _keep(self, entry: Taken) -> set[str]:
        kept = {key: each for key, each in self.of(entry.table).items() if key != entry.key}
        if entry.name:
            kept[entry.key] = entry
        self._tables[entry.table] = dict(list(kept.items())[-OF_A_TABLE:])
        return {entry.table}

    def _read(self, path: Path) -> set[str]:
        """Read the lines that were not read yet. Raises OSError."""
        changed = set[str]()
        with path.open("rb") as file:
            inode, size = os.fstat(file.fileno()).st_ino, self._file[1]
            if inode != self._file[0] or os.fstat(file.fileno()).st_size < size:
                size, changed = 0, set(self._tables)
                self._tables = {}
            file.seek(size)
            for line in file:
                if not line.endswith(b"\n"):
                    break  # another page is writing it
                size += len(line)
                changed |= self._take_in(line)
        self._file = inode, size
        return changed

    def _take_in(self, line: bytes) -> set[str]:
        if not line.strip():
            return set()
        try:
            return self._keep(from_json(line, Taken))
        except Undecodable as error:
            log.warning("a line of %s is left out: %s", self._path, error)
            return set()

    def _append(self, path: Path, entries: list[Taken]) -> None:
        """Write entries behind what is there, on disk on return. Raises OSError."""
        if path.exists() and path.stat().st_size >= LARGEST:
            (before := path.with_name(f"{path.name}.before")).unlink(missing_ok=True)
            before.hardlink_to(path)  # the file is there under one of its names whatever happens
            write_whole(path, _lines(each for kept in self._tables.values() for each in kept.values()))
        owner = path.parent.stat()
        with os.fdopen(os.open(path, os.O_CREAT | os.O_RDWR | os.O_APPEND, 0o600), "r+b", buffering=0) as file:
            if os.geteuid() == 0:
                os.fchown(file.fileno(), owner.st_uid, owner.st_gid)
            size = file.seek(0, os.SEEK_END)
            torn = size > 0 and os.pread(file.fileno(), 1, size - 1) != b"\n"
            file.write(b"\n" * torn + _lines(entries))
            os.fsync(file.fileno())
        if not size:
            directory = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
            os.fsync(directory)  # its name, too
            os.close(directory)


def _lines(entries: Iterable[Taken]) -> bytes:
    return b"".join(msgspec.json.encode(each) + b"\n" for each in entries)
