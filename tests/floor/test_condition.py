"""How fast a store grows, when its disk is full, and what `check` says of that."""

from contextlib import closing
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.floor.check_condition import LEAST, findings
from firmware_bridge.floor.store.condition import DAY_S, Heartbeat, Room, bytes_a_day, days_left
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.journals import AT

GB = 10**9
HOUR_S = 3600.0
NOW = 100 * DAY_S


def grown(*grams: tuple[float, float]) -> list[tuple[float, int]]:
    """Sizes of a store: days ago, and GB."""
    return [(NOW - days * DAY_S, int(size * GB)) for days, size in grams]


@pytest.mark.parametrize(
    ("sizes", "a_day"),
    [
        ([], None),
        (grown((0.9, 1)), None),
        (grown((1, 1)), 9 * GB),
        (grown((2, 1), (1, 8)), 4.5 * GB),
        (grown((30, 0), (6, 4), (1, 8)), GB),
        (grown((2, 12)), 0),
    ],
)
def test_the_pace_is_that_of_a_week_and_needs_a_day(sizes: list[tuple[float, int]], a_day: float | None) -> None:
    assert bytes_a_day(sizes, 10 * GB, NOW) == (a_day and pytest.approx(a_day))


@pytest.mark.parametrize(
    ("sizes", "free", "days"),
    [
        ([], 5, None),
        (grown((2, 8)), None, None),
        (grown((2, 8)), 5, 5),
        (grown((2, 12)), 5, None),
        (grown((2, 8), (1 / 24, 9.9)), 5, 5),  # the last hour alone: 2 days, so it does not count
        (grown((2, 8), (1 / 24, 9)), 5, 5 / 24),
        (grown((1 / 24, 9)), 0.5, 0.5 / 24),
        (grown((1 / 24, 9), (0.01, 10)), 0.5, 0.5 / 24),  # what is some minutes old is no hour
    ],
)
def test_days_are_left_by_the_pace_of_days_and_hours_by_that_of_the_last_one(
    sizes: list[tuple[float, int]], free: float | None, days: float | None
) -> None:
    found = days_left(Room(10 * GB, None if free is None else int(free * GB)), sizes, NOW)
    assert found == (None if days is None else pytest.approx(days))


@pytest.mark.parametrize(
    ("free", "level", "words"),
    [
        (500 * GB, "OK", "the store takes 10.0 GB, 10.0 GB more a day; 500.0 GB are free, 50 days at this pace"),
        (29 * GB, "WARN", "the store takes 10.0 GB, 10.0 GB more a day; 29.0 GB are free, 3 days at this pace"),
        (4 * GB // 10, "FAIL", "the store takes 10.0 GB, 10.0 GB more a day; 0.4 GB are free, 58 min at this pace"),
        (LEAST - 1, "FAIL", "the store takes 10.0 GB, 10.0 GB more a day; 0.3 GB are free, 39 min at this pace"),
    ],
)
def test_a_disk_is_reported_three_days_and_an_hour_before(
    tmp_path: Path, mocker: MockerFixture, free: int, level: str, words: str
) -> None:
    with closing(SqliteStore(tmp_path / "floor.db")) as store:
        mocker.patch.object(store, "room", return_value=Room(10 * GB, free))
        mocker.patch.object(store, "sizes", return_value=grown((1, 0)))
        [found] = [each for each in findings(store, NOW) if each.name == "disk"]
    assert (found.level, found.text) == (level, words)
    assert bool(found.remedy) == (level != "OK")


def test_sizes_are_kept_once_an_hour_and_for_a_month(tmp_path: Path) -> None:
    with closing(SqliteStore(tmp_path / "floor.db")) as store:
        for at in ("2026-10-20T21:33:05.123Z", "2026-11-20T20:59:59.999Z", AT, AT.replace("33", "59")):
            store.beat(Heartbeat("one", at))
        assert [each - store.sizes()[0][0] for each, _ in store.sizes()] == pytest.approx([0, 1985.124])
