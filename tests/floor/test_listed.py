"""Names that `[tables]` does not list are one counted incident in ingest, page and metrics (finding S6)."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.client.testing import FakeTable
from firmware_bridge.floor.config import parse
from firmware_bridge.floor.listed import RECENT_S, Listed
from firmware_bridge.floor.metrics.exporter import PLAIN, Stored
from firmware_bridge.floor.metrics.tables import Tables
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.records import Records
from firmware_bridge.floor.page.views import Views
from firmware_bridge.floor.record.state import TrustedKey
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store import Counts
from firmware_bridge.floor.verified.records import Limits
from firmware_bridge.floor.verified.standing import Standing
from tests.floor.house import House
from tests.floor.metered import HEALTH, STATUS, Floor
from tests.floor.tables import baccarat, latest, messages
from tests.floor.test_ingest import Said


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path / "floor.db", {"T07": Limits()})
    yield made
    made.store.close()


def tables(house: House) -> set[object]:
    return {each[house.store.columns("messages").index("table")] for each in house.store.rows("messages", None, None)}


def test_without_a_row_any_table_is_one(tmp_path: Path) -> None:
    house = House(tmp_path / "floor.db")
    house.table("T08").play(1)
    assert tables(house) == {"T08"}
    assert house.kinds() == set()
    house.store.close()


def test_the_ingest_stores_nothing_in_another_name_and_asks_for_nothing(house: House) -> None:
    house.table("T07").play(1)
    house.table("watch").play(3)
    house.send(("shoe/watch/event", b"junk"), ("shoe/\x1b[2J/event", b"junk"))
    house.wait(90)
    assert tables(house) == {"T07"}
    assert house.store.count("quarantine") == 0
    assert not [topic for topic, _ in house.source.published if "watch" in topic]
    (found,) = house.store.incidents()
    assert found[:2] == ("+", "unlisted")
    assert "in names that [tables] does not list: watch, \\x1b[2J" in found.text


def test_it_is_one_incident_a_day_and_its_count_goes_up(house: House) -> None:
    counts = []
    for _ in range(3):
        house.send(*[("shoe/watch/health", b"{}")] * 100)
        house.wait(61)
        (found,) = house.store.incidents()
        counts.append(int(found.text.split()[0]))
    assert counts == [100, 200, 300]


def test_closed_it_stays_closed_for_the_day(house: House) -> None:
    house.send(("shoe/watch/health", b"{}"))
    house.wait(61)
    assert house.store.close_incidents("+", "unlisted", "by ANNA and BO: a laptop", "2026-11-20T21:33:05.123Z") == 1
    house.send(("shoe/watch/health", b"{}"))
    house.wait(61)
    assert house.store.incidents() == []


@pytest.mark.parametrize("restarted", [False, True])
def test_an_enrolled_table_needs_no_row(house: House, restarted: bool) -> None:
    table = FakeTable(lambda *_: None, "T09")
    table.play(1)
    house.store.put_key(TrustedKey("T09", table.key, "enrolled", "ANNA", "BO", "2026-11-20T21:33:05.123Z"))
    house.restart() if restarted else house.wait(10)
    house.send(*((f"shoe/T09/{topic}", payload) for topic, payload in table.sent))
    assert "T09" in tables(house)
    assert house.kinds() == set()


# ------------------------------------------------------------------------------------------------- page and metrics


def page(listed: Listed) -> Feed:
    return Feed("shoe", Said(), lambda: "", listed=listed)


def say(feed: Feed, *names: str) -> None:
    for name in names:
        feed.handle(
            [Delivery(*each[:2], retained=each.retained) for each in latest(messages(name, baccarat(2), 0))], ""
        )


def test_the_page_shows_no_other_table_and_says_that_somebody_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    feed = page(Listed(["T07"]))
    say(feed, "T07", "watch")
    assert set(feed.floor.tables) == set(feed.guests.tables) == {"T07"}
    assert set(feed.done.tables) <= {"T07"}
    banner = Views(feed).grid_parts("en")["broker"]
    assert "Messages in names of tables that floor.toml does not list: " in banner
    before = feed.version
    say(feed, "watch")
    feed.look()
    assert feed.version > before
    monkeypatch.setattr("firmware_bridge.floor.listed.RECENT_S", -RECENT_S)
    feed.look()
    assert Views(feed).grid_parts("en")["broker"] == ""


def test_a_table_that_is_enrolled_while_the_page_runs_is_asked_for_again() -> None:
    listed = Listed(["T07"])
    feed = page(listed)
    say(feed, "T09")
    assert not listed.heard()
    feed.see(Records("", {"T09": Standing(None, is_enrolled=True)}))
    assert listed.heard()
    assert not listed.heard()
    say(feed, "T09")
    assert set(feed.floor.tables) == {"T09"}


def test_metrics_have_no_series_of_another_table(caplog: pytest.LogCaptureFixture) -> None:
    floor = Floor(lambda: Stored(Counts(0, 0, 0, 0), enrolled=["T09"]))
    floor.exporter._tables.listed = Listed(["T07"])
    floor.exporter.ask()
    with caplog.at_level(logging.ERROR):
        for name in ("T07", "T08", "T09", "watch"):
            floor.say("health", name, **HEALTH)
            floor.say("status", name, **STATUS)
    assert set(re.findall('table="([^"]*)"', floor.exporter.text(PLAIN))) == {"T07", "T09"}
    assert floor.value("shoe_exporter_unlisted_total") == ["shoe_exporter_unlisted_total 4"]
    assert len(caplog.records) == 1  # a flood does not fill the log


def test_without_rows_metrics_take_any_table() -> None:
    tables = Tables("shoe")
    tables.handle([Delivery("shoe/T99/status", b"{}")])
    assert tables.listed.strangers == 0


def test_the_list_is_the_rows_of_floor_toml() -> None:
    assert set(parse({"tables": {"T07": {}, "T08": {"hours": "10:00-04:00"}}}).tables) == {"T07", "T08"}
