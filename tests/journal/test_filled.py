"""Where records lie: each on sectors of its own, in a file that is filled ahead and never grows while cards come."""

import os
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.facts import orders
from firmware_bridge.facts.book.failures import DiskError
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.journal import REST, Journal
from firmware_bridge.journal.preallocate import MOST_AHEAD, SECTOR, STEP, SyncFailed, content_size, is_fill
from tests.journal import played
from tests.journal.played import LONG, NEXT_ROUND, crash, folded, newest
from tests.kit.journal_record import Record

dealt = played.dealt  # fixture


def test_each_record_begins_on_a_sector_of_its_own_and_ends_with_blanks_and_a_line_feed(dealt: Record) -> None:
    for line in dealt.lines:
        assert len(line.data) % SECTOR == 0
        text = line.data.rstrip(b" \n")
        assert line.data == text + b" " * (len(line.data) - len(text) - 1) + b"\n"
        assert len(line.data) - len(text) <= SECTOR
    assert newest(dealt).read_bytes().startswith(b"".join(line.data for line in dealt.lines[1:]))


def test_a_file_that_is_filled_ahead_keeps_its_size_and_its_line_feeds(dealt: Record) -> None:
    before = newest(dealt).read_bytes()
    assert STEP / 2 < len(before) - dealt.journal.end.offset <= MOST_AHEAD
    dealt.deal("2s")
    after = newest(dealt).read_bytes()
    length = content_size(newest(dealt))
    assert (len(after), length) == (len(before), dealt.journal.end.offset)
    assert after[length:] == b"\n" * (len(after) - length)


def test_it_is_filled_in_steps_and_never_too_far(tmp_path: Path) -> None:
    record = Record(tmp_path).begin()
    for _ in range(300):
        size, journal = newest(record).stat().st_size, record.journal
        if step := record.journal.preparation(is_dealing=True):
            journal.prepare(step)
        assert newest(record).stat().st_size - size in (0, STEP)
        ahead = newest(record).stat().st_size - journal.end.offset
        assert ahead <= MOST_AHEAD
        record.deal("2s")


def test_without_anything_filled_the_file_grows(tmp_path: Path) -> None:
    record = Record(tmp_path).begin().deal(NEXT_ROUND)
    assert newest(record).stat().st_size == record.journal.end.offset
    record.prepare()
    size = newest(record).stat().st_size
    while newest(record).stat().st_size == size:
        record.deal("2s")
    record.close()
    assert folded(tmp_path).shoe == record.shoe


def test_a_new_shoe_is_a_spare_that_was_made_beforehand(dealt: Record) -> None:
    spare, folder = dealt.journal.directory / "spare", dealt.journal.directory
    assert spare.read_bytes() == b"\n" * STEP
    inode, old = spare.stat().st_ino, newest(dealt)
    dealt.open_shoe()
    assert newest(dealt).stat().st_ino == inode
    assert not spare.exists()
    assert newest(dealt).stat().st_size == STEP
    dealt.prepare()
    assert old.stat().st_size == content_size(old)
    assert spare.exists()
    dealt.close()
    assert sorted(each.name for each in folder.iterdir()) == sorted(["lock", *(p.name for p in journal_files(folder))])


def test_a_file_is_cut_to_its_records_when_its_shoe_is_over_and_when_it_is_closed(dealt: Record) -> None:
    path = newest(dealt)
    assert path.stat().st_size > content_size(path)
    dealt.order(orders.CloseShoe())
    dealt.prepare()
    assert path.stat().st_size == content_size(path) == dealt.journal.end.offset
    dealt.open_shoe().prepare().deal("2s")
    assert newest(dealt).stat().st_size > content_size(newest(dealt))
    dealt.close()
    assert newest(dealt).stat().st_size == content_size(newest(dealt))


def test_a_first_record_in_the_spare_alone_was_never_begun(dealt: Record) -> None:
    folder = dealt.journal.directory
    dealt.open_shoe()
    newest(dealt).rename(folder / "spare")
    seq = dealt.lines[-2].public.seq
    dealt.journal._file = None
    dealt.close()
    assert folded(folder).shoe.seq == seq
    assert not (folder / "spare").exists()


def test_a_spare_that_a_killed_daemon_left_goes_at_the_start(dealt: Record) -> None:
    folder = dealt.journal.directory
    dealt.close()
    (folder / "spare").write_bytes(b"\n" * STEP)
    journal = Journal(folder).open(None)
    assert not (folder / "spare").exists()
    journal.close()


def test_a_failed_write_leaves_the_fill_as_it_was(dealt: Record, mocker: MockerFixture) -> None:
    before, real, times = newest(dealt).read_bytes(), os.pwrite, iter([0])

    def short(fd: int, data: bytes, at: int) -> int:
        return real(fd, data[: next(times, len(data))], at)

    for fitting in (1, 700, 0):
        broken = mocker.patch("os.pwrite", side_effect=short)
        times = iter([fitting])
        with pytest.raises(DiskError, match="journal_unwritable"):
            dealt.order(LONG)
        mocker.stop(broken)
        assert newest(dealt).read_bytes() == before
    dealt.deal("2s")
    dealt.close()
    assert folded(dealt.journal.directory).shoe == dealt.shoe


def test_fill_that_cannot_be_restored_ends_the_process(dealt: Record, mocker: MockerFixture) -> None:
    real, calls = os.pwrite, iter([True])

    def once(fd: int, data: bytes, at: int) -> int:
        if next(calls, False):
            return real(fd, data[:9], at)
        raise OSError(30, "Read-only file system")

    mocker.patch("os.pwrite", side_effect=once)
    with pytest.raises(SyncFailed, match="write_not_undone"):
        dealt.deal("2s")
    mocker.stopall()
    there = newest(dealt).read_bytes()
    dealt.close()
    assert newest(dealt).read_bytes() == there, "a file that is not understood is left alone"


def test_a_disk_that_is_too_full_to_fill_takes_cards_all_the_same(
    tmp_path: Path, mocker: MockerFixture, caplog: pytest.LogCaptureFixture
) -> None:
    record, real = Record(tmp_path).begin(), os.pwrite

    def full(fd: int, data: bytes, at: int) -> int:
        if is_fill(data):
            raise OSError(28, "No space left on device")
        return real(fd, data, at)

    mocker.patch("os.pwrite", side_effect=full)
    for _ in range(REST - 1):
        record.prepare().deal("2s")
    assert caplog.text.count("no space can be prepared") == 1
    mocker.stopall()
    record.deal("2s").deal("2s").prepare()
    assert newest(record).stat().st_size > content_size(newest(record))
    record.close()
    assert folded(tmp_path).shoe == record.shoe


def test_a_process_that_was_killed_leaves_the_fill_and_goes_on_in_it(dealt: Record) -> None:
    path = crash(dealt)
    size = path.stat().st_size
    assert size > content_size(path)
    journal = Journal(dealt.journal.directory).open(None)
    assert (journal.shoe, journal.torn, path.stat().st_size) == (dealt.shoe, 0, size)
    journal.close()
