"""The files of a device with two shoes, and what a start makes of them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.reader import Place, read_lines
from firmware_bridge.journal.recovery import verify_newest
from firmware_bridge.shoe import Shoe, advance
from tests.kit.journal_record import Record


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory where there is one: thousands of journals are opened here."""
    memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=memory if memory.is_dir() else None) as name:
        yield Path(name) / "journal"


@pytest.fixture
def kept(folder: Path) -> list[Path]:
    """The files of a device with two shoes; the second has dealt a round and two cards."""
    return Record(folder).begin().deal("9sTdTsTc").open_shoe().deal("9hTdTsTc 2s3h").close()


def opened(folder: Path, cursor: Cursor | None = None) -> Shoe:
    """The shoe a start folds; whoever only looks is told the same."""
    there = contents(folder)
    try:
        verify_newest(folder, cursor)
    except JournalError as refused:
        assert contents(folder) == there
        with pytest.raises(JournalError, match=f"^{re.escape(refused.what)};"):
            Journal(folder).open(cursor)
        raise
    assert contents(folder) == there
    journal = Journal(folder).open(cursor)
    journal.close()
    return journal.shoe


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.journal") if path.is_file()}


def folds(path: Path) -> list[Shoe]:
    """The shoe after each line of a file, from none on."""
    shoes = [Shoe()]
    for line, _ in read_lines(Place(path, 0)):
        assert line.entry
        shoes.append(advance(shoes[-1], line.entry))
    return shoes


def begins(path: Path) -> list[int]:
    """Where each line of a file begins."""
    return [0, *(place.offset for _, place in read_lines(Place(path, 0)))][:-1]
