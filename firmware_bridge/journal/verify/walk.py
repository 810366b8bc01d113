"""Walks along the record: journal files and exports, read only, whatever their names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.files import SUFFIX, file_name, journal_files
from firmware_bridge.journal.line import VERSION, Line, unseal, verify_chain

JOURNAL_STARTS: Final = VERSION + b"\t"
"""What a journal begins with, and no deal script."""


class Walk:
    """One way along a journal: checks checksums, numbering and the chain; remembers where it came.

    before: the chain value its first line must follow, None to take that on trust. journal: which one it must be,
    None for what its first line says. After `lines`: `count` whole
    lines, `torn` bytes of an unfinished last one, `journal` and `chain` of the last whole one.
    """

    def __init__(self, name: str, before: str | None = None, journal: str | None = None) -> None:
        self.name, self.chain, self.journal = name, before, journal
        self.count = self.torn = 0

    def lines(self, source: Iterable[bytes]) -> Iterator[Line]:
        """The whole lines. Raises JournalError that names the file and the line of the first fault."""
        for data in source:
            if not data.endswith(b"\n"):
                self.torn = len(data)
                return
            line = self._checked(data)
            self.count, self.chain, self.journal = self.count + 1, line.chain, line.public.journal
            yield line

    def _checked(self, data: bytes) -> Line:
        where = f"{self.name}, line {self.count + 1}"
        try:
            line = unseal(data)
        except JournalError as error:
            raise JournalError(f"{where}: {error.what}", error.hint) from None
        journal = self.journal or line.public.journal
        if (line.public.journal, line.public.seq) != (journal, self.count + 1):
            what = f"{where}: it says it is entry {line.public.seq} of {line.public.journal}"
            raise JournalError(what, "lines were removed, added or moved: restore the file")
        if self.chain is not None and not verify_chain(line, self.chain):
            after = "the line before it" if self.count else "the journal before it"
            raise JournalError(f"{where}: it does not follow {after}", "a line was changed: restore the file")
        return line


def chosen(directory: Path, names: Iterable[str] = ()) -> list[Path]:
    """The files of journals: all of a directory, or those named by path, id or number. Raises JournalError."""
    if named := [_named(directory, name) for name in names]:
        return named
    files = files_in(directory)
    if not files:
        raise JournalError(f"no journal in {directory}", "name the directory with --dir or --config, or use sudo")
    return files


def files_in(directory: Path) -> list[Path]:
    """The journal files of a directory, oldest first. Raises JournalError if it cannot be read."""
    try:
        next(directory.iterdir(), None)
    except OSError as error:
        hint = "put sudo before the command" if isinstance(error, PermissionError) else "name it with --dir or --config"
        raise JournalError(f"{directory}: {error.strerror}", hint) from None
    return journal_files(directory)


def _named(directory: Path, name: str) -> Path:
    path = Path(name)
    if "/" in name or path.suffix == SUFFIX or path.is_file():
        return path
    files = files_in(directory)
    same = [each for each in files if name.isdecimal() and each.name.startswith(f"{int(name):08d}-")]
    if "-" in name and name.split("-", 1)[0].isdecimal():
        same = [each for each in files if each.name == file_name(name)]
    if not same:
        raise JournalError(f"no journal {name} in {directory}", "see `shoe journal list`")
    return same[0]
