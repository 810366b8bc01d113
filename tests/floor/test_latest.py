"""The fold of retained topics that page and metrics share: what both of them promise."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from firmware_bridge.client.payload import MessageError
from firmware_bridge.floor.latest import Latest, Tables
from firmware_bridge.floor.metrics import tables as metrics
from firmware_bridge.floor.page import state as page
from tests.floor.odd import rounds
from tests.floor.tables import NOW, alive

LATER, EARLIER = NOW + 3_600_000, NOW - 3_600_000


def of_the_page() -> Tables[page.Seen]:
    return page.Floor("shoe")


def of_metrics() -> Tables[metrics.Table]:
    return metrics.Tables("shoe")


FOLDS: tuple[Callable[[], Tables[Latest]], ...] = (of_the_page, of_metrics)  # type: ignore[assignment]
either = pytest.mark.parametrize("made", FOLDS)


def health(at: int) -> bytes:
    """Of table T07, by its own clock."""
    return alive("T07", at)[1].payload


@either
@pytest.mark.parametrize("clock", [LATER, EARLIER])
def test_what_a_broker_kept_and_brings_again_is_as_old_as_it_was(
    made: Callable[[], Tables[Latest]], clock: int
) -> None:
    """After a new connection to the broker; whatever the table's clock says."""
    tables = made()
    tables.update("shoe/T07/health", health(clock), False, 50_000, NOW)
    tables.update("shoe/T07/health", health(clock), True, 80_000, NOW + 30_000)
    assert tables.tables["T07"].health_at == 50_000


@either
def test_what_a_broker_kept_is_from_no_later_time_and_not_older_than_the_one_before(
    made: Callable[[], Tables[Latest]],
) -> None:
    tables = made()
    tables.update("shoe/T07/health", health(NOW - 20_000), True, 50_000, NOW)
    assert tables.tables["T07"].health_at == 30_000
    tables.update("shoe/T07/health", health(EARLIER), True, 60_000, NOW + 10_000)
    assert tables.tables["T07"].health_at == 30_000
    tables.update("shoe/T07/health", health(LATER), True, 70_000, NOW + 20_000)
    assert tables.tables["T07"].health_at == 70_000


@either
def test_a_table_of_which_only_rounds_came_is_no_more_once_it_is_retired(made: Callable[[], Tables[Latest]]) -> None:
    tables = made()
    tables.update("shoe/T07/round", msgspec.json.encode(rounds()[0]), False, 0, NOW)
    assert list(tables.tables) == ["T07"]
    tables.update("shoe/T07/status", b"", False, 0, NOW)
    assert not tables.tables


@pytest.mark.parametrize(("room", "made"), [((page, "MOST"), of_the_page), ((metrics, "MOST_TABLES"), of_metrics)])
def test_of_more_tables_than_are_followed_nothing_is_kept_and_the_log_says_so_once(
    room: tuple[object, str],
    made: Callable[[], Tables[Latest]],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    monkeypatch.setattr(*room, 2)
    tables = made()
    for number in range(5):
        status, _ = alive(f"T{number}")
        tables.update(status.topic, status.payload, True, 0, NOW)
    assert (list(tables.tables), tables.ignored) == (["T0", "T1"], 3)
    assert caplog.text.count("more than 2 tables: T2 and later ones are ignored") == 1


@either
@pytest.mark.parametrize("topic", ["other/T07/status", "shoe/status", "shoe/T07/status/x", "shoe/T07/event", ""])
def test_a_topic_that_is_none_of_a_table_is_refused(made: Callable[[], Tables[Latest]], topic: str) -> None:
    with pytest.raises(MessageError, match="not a topic of a table"):
        made().update(topic, alive("T07")[0].payload, True, 0, NOW)
