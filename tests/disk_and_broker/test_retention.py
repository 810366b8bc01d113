import os
from pathlib import Path

import pytest

from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.retention import DAY_S, expire, expired

NOW = 1_800_000_000.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six files of 1 MB, the oldest (number 1) 60 days old, each 10 days younger than the one before."""
    for number in range(1, 7):
        path = tmp_path / f"{number:08d}-abc.journal"
        path.write_bytes(b"x" * 1_000_000)
        os.utime(path, (NOW, NOW - (7 - number) * 10 * DAY_S))
    return tmp_path


@pytest.mark.parametrize(
    ("sent", "days", "megabytes", "gone"),
    [
        (6, 90, None, []),
        (6, 45, None, [1, 2]),
        (6, 1, None, [1, 2, 3, 4]),
        (3, 1, None, [1, 2]),
        (1, 1, None, []),
        (None, 1, None, []),
        (6, 90, 4, [1, 2]),
        (2, 90, 4, [1]),
        (6, 90, 1, [1, 2, 3, 4]),
        (6, 45, 3, [1, 2, 3]),
        (None, 90, 1, []),
    ],
)
def test_old_or_many_files_go_but_never_what_was_not_sent(
    folder: Path, sent: int | None, days: int, megabytes: int | None, gone: list[int]
) -> None:
    acked = Cursor(f"{sent}-abc", 9) if sent else None
    going = expired(folder, acked, NOW, days, megabytes)
    assert sorted(int(path.name[:8]) for path in going) == gone
    expire(going)
    assert [int(path.name[:8]) for path in journal_files(folder)] == [n for n in range(1, 7) if n not in gone]


def test_a_clock_that_is_not_set_yet_expires_nothing(folder: Path) -> None:
    assert expired(folder, Cursor("6-abc", 9), 0.0, 1, None) == []
