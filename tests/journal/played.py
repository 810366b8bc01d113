"""A table's journal with a round in it, its newest file filled ahead: dealt on, killed, folded again."""

from pathlib import Path
from typing import Final

import pytest

from firmware_bridge.facts import orders
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.recovery import verify_newest
from tests.kit.journal_record import Record

NEXT_ROUND: Final = "9sTdTsTc"
LONG: Final = orders.Void("why not? " * 50)
"""An order whose record takes two sectors; it changes nothing."""


@pytest.fixture
def dealt(tmp_path: Path) -> Record:
    """A shoe with a round, filled ahead, still open."""
    return Record(tmp_path / "journal").begin().prepare().deal(NEXT_ROUND)


def newest(record: Record) -> Path:
    return journal_files(record.journal.directory)[-1]


def crash(record: Record) -> Path:
    """Let go of the journal as a process does that is killed; the newest file."""
    there = {path: path.read_bytes() for path in journal_files(record.journal.directory)}
    record.close()
    for path, data in there.items():
        path.write_bytes(data)
    return path


def folded(directory: Path, cursor: Cursor | None = None) -> Journal:
    """The journal as a start leaves it, and whoever only looks is told the same."""
    verify_newest(directory, cursor)
    journal = Journal(directory).open(cursor)
    journal.close()
    return journal
