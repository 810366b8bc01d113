"""A journal that ends too early: torn by the power, or shortened by somebody."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import journal_id
from tests.journal import journals
from tests.journal.journals import folds, opened
from tests.kit.journal_record import Record
from tests.kit.nightly import some

folder, kept = journals.folder, journals.kept  # fixtures


def test_a_journal_cut_at_any_byte_gives_exactly_its_whole_lines(folder: Path, kept: list[Path]) -> None:
    newest = kept[-1]
    whole, shoes = newest.read_bytes(), folds(newest)
    assert len(shoes) == 8
    for length in some(range(whole.index(b"\n") + 1, len(whole) + 1, 3), 7):
        newest.write_bytes(whole[:length])
        lines = whole[:length].count(b"\n")
        assert opened(folder) == shoes[lines]
        assert newest.read_bytes() == b"".join(whole.splitlines(keepends=True)[:lines])


def test_a_file_cut_in_its_first_line_was_never_begun(folder: Path, kept: list[Path]) -> None:
    newest = kept[-1]
    first = newest.read_bytes().partition(b"\n")[0]
    before = folds(kept[-2])[-1]
    for length in some(range(0, len(first) + 1, 3), 9):
        newest.write_bytes(first[:length])
        assert opened(folder) == before
        assert not newest.exists()


def test_a_removed_tail_is_distinguished_from_a_torn_one_by_the_cursor(folder: Path, kept: list[Path]) -> None:
    newest = kept[-1]
    whole, last = newest.read_bytes(), len(folds(newest)) - 1
    for length in some(range(0, len(whole) + 1, 41), 6):
        newest.write_bytes(whole[:length])
        lines = whole[:length].count(b"\n")
        for sent in range(1, last + 1):
            cursor = Cursor(journal_id(newest), sent)
            if sent <= lines:
                assert opened(folder, cursor).seq == lines
                newest.write_bytes(whole[:length])
            else:
                with pytest.raises(JournalError, match=f"{newest.name} ends after line {lines}.*line {sent};.*restore"):
                    opened(folder, cursor)
                assert newest.read_bytes() == whole[:length], "evidence was changed"


def test_after_a_torn_line_is_cut_off_the_next_one_is_whole(folder: Path, kept: list[Path]) -> None:
    with kept[-1].open("r+b") as file:
        file.truncate(kept[-1].stat().st_size - 5)
    record = Record(folder).deal("4d 5c")
    record.close()
    assert opened(folder) == record.shoe


@pytest.mark.parametrize("torn", [b"\0" * 700, b"1\t0", bytes(range(11, 256))])
def test_any_unterminated_tail_is_cut_off(folder: Path, kept: list[Path], torn: bytes) -> None:
    whole = kept[-1].read_bytes()
    kept[-1].write_bytes(whole + torn)
    assert opened(folder).seq == whole.count(b"\n")
    assert kept[-1].read_bytes() == whole


def test_an_older_file_with_lines_removed_refuses(folder: Path, kept: list[Path]) -> None:
    whole = kept[1].read_bytes().splitlines(keepends=True)
    kept[1].write_bytes(b"".join(whole[:-2]))
    with pytest.raises(JournalError, match=rf"{kept[1].name} ends after line 4|{kept[2].name}, line 1"):
        opened(folder, Cursor(journal_id(kept[1]), len(whole)))
