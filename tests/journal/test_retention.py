from collections.abc import Callable
from pathlib import Path

import pytest

from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.retention import DAY_S, Retention
from tests.kit import journal_record
from tests.kit.journal_record import Record

Days = list[float]
NOW = journal_record.AT


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Days], Path]:
    """Makes journals that begin so many days after the first, and are numbered from 0."""

    def made(days: Days) -> Path:
        kept = Record(tmp_path)
        for day in days:
            monkeypatch.setattr(journal_record, "AT", NOW + int(day * DAY_S * 1000))
            if not kept.lines:
                kept.begin_device()
            else:
                kept.open_shoe().deal("9sTdTsTc")
        kept.close()
        return tmp_path

    return made


def kept(folder: Path) -> list[int]:
    return [int(path.name[:8]) for path in journal_files(folder)]


def cursor(folder: Path, number: int) -> Cursor:
    """The broker has everything up to somewhere in this journal."""
    return Cursor(f"{number}-{journal_files(folder)[number].stem.split('-')[1]}", 1)


STEADY = [0, 0.5, 1, 1.5, 2, 2.5, 3]
WEEKLY = [0, 7, 14, 21, 28]


@pytest.mark.parametrize(
    ("days", "keep", "sent", "is_clock_right", "gone"),
    [
        (STEADY, 1, 6, True, [0]),
        (STEADY, 1, 6, False, [0]),
        (STEADY, 2, 6, False, [0]),
        (STEADY, 3, 6, False, []),
        (STEADY, 1, 0, True, []),
        (STEADY, 1, 1, True, [0]),
        (WEEKLY, 20, 4, True, [0]),
        (WEEKLY, 20, 4, False, []),
        ([0, 1], 1, 1, True, []),
    ],
)
def test_the_oldest_goes_when_the_journals_say_it_is_old_and_never_what_was_not_sent(
    folder: Callable[[Days], Path], days: Days, keep: int, sent: int, is_clock_right: bool, gone: list[int]
) -> None:
    at = folder(days)
    went = Retention(at, keep, None).expire(cursor(at, sent), is_clock_right)
    assert [int(path.name[:8]) for path in [went] if path] == gone
    assert kept(at) == [number for number in range(len(days)) if number not in gone]


@pytest.mark.parametrize("is_clock_right", [True, False])
@pytest.mark.parametrize(
    ("what", "days"),
    [
        ("ahead since the last shoe", [0, 0.5, 1, 1.5, 92.5]),
        ("ahead for one shoe, and right again", [0, 0.5, 1, 92, 1.5, 2]),
        ("ahead for some shoes", [0, 0.5, 92, 92.5, 93]),
        ("set for the first time after a shoe", [-19_000, 0, 0.5, 1]),
        ("behind for one shoe", [0, 0.5, -19_000, 1, 1.5]),
        ("back at its beginning", [0, 0.5, 1, -19_000]),
    ],
)
def test_a_clock_that_is_or_was_wrong_deletes_nothing(
    folder: Callable[[Days], Path], what: str, days: Days, is_clock_right: bool
) -> None:
    at = folder(days)
    assert Retention(at, 90, None).expire(cursor(at, len(days) - 1), is_clock_right) is None, what


def test_a_shoe_deletes_one_journal_at_most(folder: Callable[[Days], Path]) -> None:
    at = folder(STEADY)
    retention, sent = Retention(at, 1, None), cursor(at, 6)
    for left in ([1, 2, 3, 4, 5, 6], [2, 3, 4, 5, 6], [3, 4, 5, 6], [3, 4, 5, 6]):
        retention.expire(sent, is_clock_right=True)
        assert kept(at) == left


@pytest.mark.parametrize(("sent", "left"), [(6, [1, 2, 3, 4, 5, 6]), (0, [0, 1, 2, 3, 4, 5, 6])])
def test_too_many_bytes_make_the_oldest_go_whatever_the_clock_says(
    folder: Callable[[Days], Path], sent: int, left: list[int]
) -> None:
    at = folder(STEADY)
    for path in journal_files(at):
        with path.open("ab") as file:
            file.write(b"x" * 200_000)
    Retention(at, 90, 1).expire(cursor(at, sent), is_clock_right=False)
    assert kept(at) == left


def test_a_journal_that_cannot_be_read_makes_no_other_one_older(folder: Callable[[Days], Path]) -> None:
    at = folder(STEADY)
    journal_files(at)[3].write_bytes(b"nonsense\n")
    sent = cursor(at, 6)
    assert Retention(at, 3, None).expire(sent, is_clock_right=True) is None
    assert Retention(at, 2, None).expire(sent, is_clock_right=True) is not None
