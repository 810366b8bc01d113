"""A journal on a disk that fails: what is not confirmed ends the process, what can be tried again is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.errors import JournalError
from firmware_bridge.facts import orders
from firmware_bridge.facts.book.failures import DiskError
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.preallocate import SyncFailed
from firmware_bridge.journal.record_tree import RecordTree
from tests.journal import journals
from tests.journal.journals import contents, opened
from tests.kit.journal_record import Record
from tests.record.exports import SignedRecord, policy_text, verified

folder, kept = journals.folder, journals.kept  # fixtures


def test_a_disk_that_does_not_confirm_ends_the_process(folder: Path, mocker: MockerFixture) -> None:
    record = Record(folder).begin()
    mocker.patch("os.fdatasync", side_effect=OSError(5, "Input/output error"))
    with pytest.raises(SyncFailed, match="unconfirmed"):
        record.deal("9s")
    record.close()


def test_a_line_that_does_not_survive_its_encoding_is_not_written(folder: Path, mocker: MockerFixture) -> None:
    record = Record(folder).begin()
    size = record.journal.end
    first = record.lines[0].entry.events[0]
    mocker.patch("firmware_bridge.journal.line._without_secret", side_effect=lambda event: first)
    with pytest.raises(JournalError, match="cannot be encoded without loss"):
        record.deal("9s")
    assert record.journal.end == size
    record.close()


@pytest.mark.parametrize("fitting", [0, 1, 40])
def test_a_short_write_is_taken_back(folder: Path, mocker: MockerFixture, fitting: int) -> None:
    record = Record(folder).begin().deal("9s")
    real, before = os.pwrite, record.close()[-1].read_bytes()
    record = Record(folder)
    broken = mocker.patch("os.pwrite", side_effect=lambda fd, chunk, at: real(fd, chunk[:fitting], at))
    with pytest.raises(OSError, match="journal_unwritable"):
        record.deal("Td")
    mocker.stop(broken)
    record.deal("Td")
    assert record.close()[-1].read_bytes().startswith(before)
    assert opened(folder) == record.shoe


def test_a_note_for_a_line_that_the_disk_refused_is_of_no_tree(tmp_path: Path, mocker: MockerFixture) -> None:
    """Signed before the write: another line takes its place in the tree, and its note is the one that is sent."""
    record = SignedRecord(tmp_path / "j")
    record.begin()
    record.play(1)
    size, newest = record.journal.tree.size, record.journal.tree.note
    signed = mocker.spy(RecordTree, "prove")
    broken = mocker.patch("os.pwrite", side_effect=OSError(28, "No space left on device"))
    with pytest.raises(DiskError):
        record.order(orders.CloseShoe())
    mocker.stop(broken)
    refused = signed.spy_return.note
    assert refused
    assert (record.journal.tree.size, record.journal.tree.note) == (size, newest)
    record.order(orders.CloseShoe())
    kept = [line.proof.note for line in record.lines if line.proof.note]
    assert refused not in kept
    record.close()
    assert verified(record.exports(), policy_text(quorum="none")).wrong == []


def test_a_new_file_that_does_not_fit_was_never_begun(folder: Path, kept: list[Path], mocker: MockerFixture) -> None:
    record = Record(folder)
    broken = mocker.patch("os.pwrite", side_effect=OSError(28, "No space left on device"))
    with pytest.raises(OSError, match="No space left"):
        record.open_shoe()
    mocker.stop(broken)
    assert sorted(folder.glob("*.journal")) == kept
    record.open_shoe().deal("9s")
    record.close()
    assert opened(folder) == record.shoe


def test_a_disk_that_takes_nothing_back_because_it_took_nothing_is_tried_again(
    folder: Path, mocker: MockerFixture
) -> None:
    record = Record(folder).begin()
    read_only = OSError(30, "Read-only file system")
    write, cut = mocker.patch("os.pwrite", side_effect=read_only), mocker.patch("os.ftruncate", side_effect=read_only)
    with pytest.raises(DiskError, match="Read-only file system; card_failing") as refused:
        record.deal("9s")
    assert refused.value.irregularity == "disk_error"
    mocker.stop(write)
    mocker.stop(cut)
    record.deal("9s")
    record.close()
    assert opened(folder) == record.shoe


def test_a_part_of_a_line_that_cannot_be_taken_back_ends_the_process(folder: Path, mocker: MockerFixture) -> None:
    record, real = Record(folder).begin(), os.pwrite
    mocker.patch("os.pwrite", side_effect=lambda fd, chunk, at: real(fd, chunk[:9], at))
    mocker.patch("os.ftruncate", side_effect=OSError(30, "Read-only file system"))
    with pytest.raises(SyncFailed, match="write_not_undone"):
        record.deal("9s")
    record.close()


def test_no_descriptor_left_at_a_new_shoe_is_tried_again(folder: Path, mocker: MockerFixture) -> None:
    record = Record(folder).begin().deal("9sTdTsTc")
    before = contents(folder)
    none_left = mocker.patch("os.open", side_effect=OSError(24, "Too many open files"))
    with pytest.raises(DiskError, match="Too many open files"):
        record.open_shoe()
    mocker.stop(none_left)
    assert contents(folder).keys() == before.keys()
    record.open_shoe()
    record.close()
    assert opened(folder) == record.shoe
    assert len(contents(folder)) == len(before) + 1


def test_a_folder_in_the_place_of_the_spare_is_named(folder: Path) -> None:
    record = Record(folder).begin().deal("9sTdTsTc")
    spare = folder / "spare"
    spare.unlink(missing_ok=True)
    spare.mkdir()
    with pytest.raises(DiskError, match=f"Is a directory; folder_in_place {spare}"):
        record.open_shoe()
    spare.rmdir()
    record.open_shoe()
    record.close()
    assert opened(folder) == record.shoe


def test_a_new_shoe_opens_one_file_and_nothing_else(folder: Path, mocker: MockerFixture) -> None:
    record = Record(folder).begin().deal("9sTdTsTc")
    opening = mocker.spy(os, "open")
    record.open_shoe()
    assert [Path(call.args[0]).name for call in opening.call_args_list] == ["spare"]
    record.prepare()
    opening.reset_mock()
    record.open_shoe()
    assert opening.call_args_list == []
    record.close()


def test_a_directory_that_cannot_be_used_may_be_opened_later(folder: Path, kept: list[Path]) -> None:
    lock = folder / "lock"
    lock.unlink()
    lock.mkdir()
    journal = Journal(folder)
    with pytest.raises(DiskError, match=r"directory_unusable .* Is a directory"):
        journal.open(None)
    lock.rmdir()
    journal.open(None)
    assert (journal.is_open, journal.shoe.number) == (True, 2)
    journal.close()
