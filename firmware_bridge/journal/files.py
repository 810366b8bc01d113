"""Reading the journal: its files, their names, and their lines, each checked against the one before."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.line import Line, unseal, verify_chain

SUFFIX: Final = ".journal"


class Place(NamedTuple):
    """Where a line begins: byte `offset` of the file `path`."""

    path: Path
    offset: int


def file_name(journal: str) -> str:
    """The file of a journal id: `3-9f8a7c` is `00000003-9f8a7c.journal`."""
    number, nonce = journal.split("-", 1)
    return f"{int(number):08d}-{nonce}{SUFFIX}"


def journal_id(path: Path) -> str:
    """The inverse of `file_name`."""
    number, nonce = path.stem.split("-", 1)
    return f"{int(number)}-{nonce}"


def journal_files(directory: Path) -> list[Path]:
    """The journal files, oldest first; a copy that somebody named otherwise is none."""
    return sorted(directory.glob(f"[0-9]*-*{SUFFIX}"))


def read_lines(place: Place, before: str | None = None) -> Iterator[tuple[Line, Place]]:
    """The whole lines from `place` on, each with the place behind it; an unterminated last line is left out.

    before: the chain value the first of them must follow, None to take it on trust. Raises JournalError that
    names the file and the line.
    """
    path, offset = place
    seq = 1 if offset == 0 else None
    with path.open("rb") as file:
        file.seek(offset)
        for data in file:
            if not data.endswith(b"\n"):
                return
            offset += len(data)
            line = _checked(data, path, seq, before)
            before, seq = line.chain, line.public.seq + 1
            yield line, Place(path, offset)


def _checked(data: bytes, path: Path, seq: int | None, before: str | None) -> Line:
    where = f"{path.name}, line {seq or '?'}"
    try:
        line = unseal(data)
    except JournalError as error:
        raise JournalError(f"{where}: {error.what}", error.hint) from None
    if line.public.journal != journal_id(path) or (seq and line.public.seq != seq):
        what = f"{where}: it says it is entry {line.public.seq} of {line.public.journal}"
        raise JournalError(what, "lines were removed, added or moved: restore the file")
    if before is not None and not verify_chain(line, before):
        raise JournalError(f"{where}: it does not follow the line before it", "restore the file")
    return line
