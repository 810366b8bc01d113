"""A journal with bits flipped, lines moved or files missing: it is refused, and the place is named."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from firmware_bridge.daemon.delivery.backlog import place_behind
from firmware_bridge.errors import JournalError
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import journal_id
from firmware_bridge.journal.line import without_sealed
from firmware_bridge.journal.reader import Place, read_lines
from tests.journal import journals
from tests.journal.journals import begins, opened
from tests.kit.journal_record import Record
from tests.kit.nightly import some

folder, kept = journals.folder, journals.kept  # fixtures


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
        for place, broken in some(flipped(whole, begin, end, bit), 10):
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
        with pytest.raises(JournalError, match=r"ends after line 6, but the broker received line 7"):
            opened(folder, Cursor(journal_id(newest), 7))
        assert newest.read_bytes() == broken, "evidence was changed"
        assert opened(folder, Cursor(journal_id(newest), 6)).seq == 6
        assert newest.read_bytes() == whole[:last]


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


def test_files_before_the_cursor_may_be_gone(folder: Path, kept: list[Path]) -> None:
    kept[0].unlink()
    assert opened(folder, Cursor(journal_id(kept[1]), 2)).seq == 7


def test_an_export_without_sealed_parts_is_no_journal(folder: Path, kept: list[Path]) -> None:
    lines = [without_sealed(line) for line, _ in read_lines(Place(kept[-1], 0))]
    kept[-1].write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match="an export: restore the original"):
        opened(folder)
