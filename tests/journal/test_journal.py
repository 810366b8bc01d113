"""A journal: what is written is what a start folds, and whose files it is."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import journal_id
from firmware_bridge.journal.journal import Journal
from tests.journal import journals
from tests.journal.journals import contents, opened
from tests.kit.journal_record import Record

folder, kept = journals.folder, journals.kept  # fixtures


def test_a_new_file_is_reported_once_it_is_there(folder: Path) -> None:
    record = Record(folder)
    files: list[int] = []
    record.journal.close()
    record.journal = Journal(folder, lambda: files.append(len(contents(folder)))).open(None)
    record.begin().deal("9sTdTsTc").open_shoe().close()
    assert files == [1, 2, 3]


def test_what_is_written_folds_to_the_same_shoe(folder: Path) -> None:
    record = Record(folder).begin(burn="first-card").deal("2s Ah Ad 9s Td")
    record.close()
    assert opened(folder) == record.shoe


@pytest.mark.parametrize("name", ["copy-of-{}", "{}.before", "old.journal", "1.journal", "9-backup.journal"])
def test_a_copy_beside_the_journals_is_none(folder: Path, kept: list[Path], name: str) -> None:
    newest = kept[-1]
    (folder / name.format(newest.name)).write_bytes(b"nonsense\n")
    assert opened(folder, Cursor(journal_id(newest), 7)).number == 2


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to(path)])
@pytest.mark.parametrize("name", ["9-backup.journal", "00000009-0123456789ab.journal"])
def test_only_a_file_is_a_journal(folder: Path, kept: list[Path], make: Callable[[Path], None], name: str) -> None:
    make(folder / name)
    assert opened(folder, Cursor(journal_id(kept[-1]), 7)).number == 2


def test_only_one_daemon_keeps_a_journal(folder: Path) -> None:
    first = Journal(folder).open(None)
    with pytest.raises(JournalError, match=r"another daemon.*systemctl stop"):
        Journal(folder).open(None)
    first.close()
    opened(folder)


def test_a_journal_closed_twice_leaves_files_of_others_open(folder: Path) -> None:
    journal = Record(folder).begin().deal("9s Td").journal
    journal.close()
    others = [os.open(os.devnull, os.O_RDONLY) for _ in range(8)]  # by the numbers that it gave back
    journal.close()
    assert not journal.is_open
    for each in others:
        os.close(each)


def test_nobody_else_reads_the_journal(folder: Path, kept: list[Path]) -> None:
    assert [path.stat().st_mode & 0o777 for path in kept] == [0o600] * 3
    assert folder.stat().st_mode & 0o777 == 0o700
