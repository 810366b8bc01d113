from pathlib import Path

import pytest

from firmware_bridge.journal.cursor import SLOT, Cursor, CursorFile


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cursor"


def stored(path: Path, *seqs: int) -> None:
    file = CursorFile(path)
    for seq in seqs:
        file.store(Cursor("3-abc", seq))
    file.close()


def value(path: Path) -> Cursor | None:
    file = CursorFile(path)
    file.close()
    return file.value


def test_nothing_was_sent_yet(path: Path) -> None:
    assert value(path) is None


@pytest.mark.parametrize("count", range(1, 6))
def test_the_last_one_counts(path: Path, count: int) -> None:
    stored(path, *range(1, count + 1))
    assert value(path) == Cursor("3-abc", count)


def test_it_goes_on_behind_a_reopening(path: Path) -> None:
    stored(path, 1, 2)
    stored(path, 3)
    stored(path, 4, 5)
    assert value(path) == Cursor("3-abc", 5)


@pytest.mark.parametrize("count", [2, 3])
def test_a_write_torn_at_any_byte_leaves_the_one_before(path: Path, count: int) -> None:
    stored(path, *range(1, count))
    before = path.read_bytes().ljust(2 * SLOT, b"\0")
    stored(path, count)
    after = path.read_bytes().ljust(2 * SLOT, b"\0")
    place = count % 2 * SLOT
    length = after[place:].index(b"\n") + 1
    for torn in range(length + 1):
        path.write_bytes(before[:place] + after[place : place + torn] + before[place + torn :])
        whole = (Cursor("3-abc", count), Cursor("3-abc", count - 1))
        assert value(path) in whole
    assert value(path) == Cursor("3-abc", count)


def test_two_unreadable_records_mean_that_everything_is_sent_again(path: Path) -> None:
    stored(path, 1, 2)
    path.write_bytes(b"\xff" * 2 * SLOT)
    assert value(path) is None
    stored(path, 7)
    assert value(path) == Cursor("3-abc", 7)


def test_nobody_else_reads_it(path: Path) -> None:
    stored(path, 1)
    assert path.stat().st_mode & 0o777 == 0o600
