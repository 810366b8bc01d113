import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.errors import DiskError, JournalError
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.disk import SyncFailed
from firmware_bridge.journal.files import journal_id
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.line import without_sealed
from firmware_bridge.journal.trusted import verify_newest
from firmware_bridge.journal.walk import Place, read_lines
from firmware_bridge.mqtt.outbox import place_behind
from firmware_bridge.shoe import Shoe, advance
from tests.disk_and_broker.record import Record


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


def test_a_new_file_is_told_of_once_it_is_there(folder: Path) -> None:
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


def test_a_journal_cut_at_any_byte_gives_exactly_its_whole_lines(folder: Path, kept: list[Path]) -> None:
    newest = kept[-1]
    whole, shoes = newest.read_bytes(), folds(newest)
    assert len(shoes) == 8
    for length in range(whole.index(b"\n") + 1, len(whole) + 1, 3):
        newest.write_bytes(whole[:length])
        lines = whole[:length].count(b"\n")
        assert opened(folder) == shoes[lines]
        assert newest.read_bytes() == b"".join(whole.splitlines(keepends=True)[:lines])


def test_a_file_cut_in_its_first_line_was_never_begun(folder: Path, kept: list[Path]) -> None:
    newest = kept[-1]
    first = newest.read_bytes().partition(b"\n")[0]
    before = folds(kept[-2])[-1]
    for length in range(0, len(first) + 1, 3):
        newest.write_bytes(first[:length])
        assert opened(folder) == before
        assert not newest.exists()


def test_a_removed_tail_is_told_from_a_torn_one_by_the_cursor(folder: Path, kept: list[Path]) -> None:
    newest = kept[-1]
    whole, last = newest.read_bytes(), len(folds(newest)) - 1
    for length in range(0, len(whole) + 1, 41):
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


def flipped(whole: bytes, begin: int, end: int, bit: int) -> Iterator[tuple[int, bytes]]:
    """The bytes with one bit of one of these flipped, and its place: its record's head, then some of the rest."""
    for place in [*range(begin, begin + 80), *range(begin + 80, end - 1, 7), end - 1]:
        yield place, whole[:place] + bytes([whole[place] ^ 1 << bit]) + whole[place + 1 :]


@pytest.mark.parametrize("bit", [0, 6])
def test_a_flipped_bit_anywhere_before_the_last_line_refuses_and_names_the_line(
    folder: Path, kept: list[Path], bit: int
) -> None:
    newest = kept[-1]
    whole = newest.read_bytes()
    for begin, end in pairwise(begins(newest)):
        for place, broken in flipped(whole, begin, end, bit):
            newest.write_bytes(broken)
            line = whole[:place].count(b"\n") + 1
            with pytest.raises(JournalError, match=f"^{newest.name}, line {line}: "):
                opened(folder)


@pytest.mark.parametrize("bit", [0, 6])
def test_a_last_line_with_a_flipped_bit_was_never_confirmed_unless_the_broker_has_it(
    folder: Path, kept: list[Path], bit: int
) -> None:
    newest = kept[-1]
    whole, last = newest.read_bytes(), begins(newest)[-1]
    for _, broken in flipped(whole, last, len(whole), bit):
        newest.write_bytes(broken)
        with pytest.raises(JournalError, match=r"ends after line 6, but the broker has had line 7"):
            opened(folder, Cursor(journal_id(newest), 7))
        assert newest.read_bytes() == broken, "evidence was changed"
        assert opened(folder, Cursor(journal_id(newest), 6)).seq == 6
        assert newest.read_bytes() == whole[:last]


def begins(path: Path) -> list[int]:
    """Where each line of a file begins."""
    return [0, *(place.offset for _, place in read_lines(Place(path, 0)))][:-1]


@pytest.mark.parametrize("change", ["removed", "doubled", "swapped"])
def test_lines_moved_about_refuse_and_name_the_line(folder: Path, kept: list[Path], change: str) -> None:
    lines = kept[-1].read_bytes().splitlines(keepends=True)
    if change == "removed":
        del lines[3]
    elif change == "doubled":
        lines.insert(3, lines[2])
    else:
        lines[3], lines[4] = lines[4], lines[3]
    kept[-1].write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match=r"line 4: .*restore the file"):
        opened(folder)


def test_a_line_of_another_history_does_not_chain(folder: Path, tmp_path: Path, kept: list[Path]) -> None:
    other = Record(tmp_path / "other").begin().deal("9sTdTsTc").open_shoe().close()
    name = kept[-1].name
    kept[-1].unlink()
    moved = folder / other[-1].name
    shutil.copy(other[-1], moved)
    assert moved.name != name
    with pytest.raises(JournalError, match=f"{moved.name}, line 1: it does not follow the line before it"):
        opened(folder)


def test_a_missing_file_behind_the_cursor_refuses(folder: Path, kept: list[Path]) -> None:
    cursor = Cursor(journal_id(kept[0]), 1)
    kept[1].unlink()
    with pytest.raises(JournalError, match=r"journal files from .* on are missing.*restore them"):
        opened(folder, cursor)


@pytest.mark.parametrize("gone", [1, 2])
def test_the_cursors_own_file_must_be_there(folder: Path, kept: list[Path], gone: int) -> None:
    cursor = Cursor(journal_id(kept[gone]), 1)
    kept[gone].unlink()
    with pytest.raises(JournalError, match=r"missing"):
        opened(folder, cursor)


def test_a_cursor_older_than_all_files_means_repeats(folder: Path, kept: list[Path]) -> None:
    cursor = Cursor(journal_id(kept[0]), 1)
    kept[0].unlink()
    assert opened(folder, cursor).seq == 7
    assert place_behind(folder, cursor) is None


@pytest.mark.parametrize("broken", ["a file is missing", "a line is missing", "all files are gone"])
def test_a_cursor_older_than_all_files_refuses_what_is_broken(folder: Path, kept: list[Path], broken: str) -> None:
    cursor = Cursor(journal_id(kept[0]), 1)
    more = Record(folder).deal("6d 5h").open_shoe().close()
    kept[0].unlink()
    if broken == "a file is missing":
        kept[2].unlink()
    elif broken == "a line is missing":
        lines = kept[1].read_bytes().splitlines(keepends=True)
        kept[1].write_bytes(b"".join([*lines[:2], *lines[3:]]))
    else:
        for path in more[1:]:
            path.unlink()
    with pytest.raises(JournalError, match=r"are missing|line 3"):
        opened(folder, cursor)


def test_an_older_file_with_lines_removed_refuses(folder: Path, kept: list[Path]) -> None:
    whole = kept[1].read_bytes().splitlines(keepends=True)
    kept[1].write_bytes(b"".join(whole[:-2]))
    with pytest.raises(JournalError, match=rf"{kept[1].name} ends after line 4|{kept[2].name}, line 1"):
        opened(folder, Cursor(journal_id(kept[1]), len(whole)))


def test_files_before_the_cursor_may_be_gone(folder: Path, kept: list[Path]) -> None:
    kept[0].unlink()
    assert opened(folder, Cursor(journal_id(kept[1]), 2)).seq == 7


def test_an_export_without_sealed_parts_is_no_journal(folder: Path, kept: list[Path]) -> None:
    lines = [without_sealed(line) for line, _ in read_lines(Place(kept[-1], 0))]
    kept[-1].write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match="an export: restore it"):
        opened(folder)


def test_only_one_daemon_keeps_a_journal(folder: Path) -> None:
    first = Journal(folder).open(None)
    with pytest.raises(JournalError, match=r"another daemon.*systemctl stop"):
        Journal(folder).open(None)
    first.close()
    opened(folder)


def test_nobody_else_reads_the_journal(folder: Path, kept: list[Path]) -> None:
    assert [path.stat().st_mode & 0o777 for path in kept] == [0o600] * 3
    assert folder.stat().st_mode & 0o777 == 0o700


def test_a_disk_that_does_not_confirm_ends_the_process(folder: Path, mocker: MockerFixture) -> None:
    record = Record(folder).begin()
    mocker.patch("os.fdatasync", side_effect=OSError(5, "Input/output error"))
    with pytest.raises(SyncFailed, match="did not confirm a write"):
        record.deal("9s")
    record.close()


def test_a_line_that_does_not_survive_its_encoding_is_not_written(folder: Path, mocker: MockerFixture) -> None:
    record = Record(folder).begin()
    size = record.journal.end
    first = record.lines[0].entry.events[0]
    mocker.patch("firmware_bridge.journal.line._without_secret", side_effect=lambda event: first)
    with pytest.raises(JournalError, match="does not survive its own encoding"):
        record.deal("9s")
    assert record.journal.end == size
    record.close()


@pytest.mark.parametrize("fitting", [0, 1, 40])
def test_a_short_write_is_taken_back(folder: Path, mocker: MockerFixture, fitting: int) -> None:
    record = Record(folder).begin().deal("9s")
    real, before = os.pwrite, record.close()[-1].read_bytes()
    record = Record(folder)
    broken = mocker.patch("os.pwrite", side_effect=lambda fd, chunk, at: real(fd, chunk[:fitting], at))
    with pytest.raises(OSError, match="cannot be written"):
        record.deal("Td")
    mocker.stop(broken)
    record.deal("Td")
    assert record.close()[-1].read_bytes().startswith(before)
    assert opened(folder) == record.shoe


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
    with pytest.raises(DiskError, match=r"Read-only file system.*see dmesg") as refused:
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
    with pytest.raises(SyncFailed, match="cannot be undone"):
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
    with pytest.raises(DiskError, match=r"the journal's directory .* cannot be used \(Is a directory\)"):
        journal.open(None)
    lock.rmdir()
    journal.open(None)
    assert (journal.is_open, journal.shoe.number) == (True, 2)
    journal.close()
