"""The wall of all tables: what stands where, what is counted, and how much is sent."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.facts import inputs
from firmware_bridge.floor import page as page_package
from firmware_bridge.floor.config import parse
from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.views import Asked, Views, icon
from firmware_bridge.floor.source import Delivery
from scripts.tools.messages.played import Sent
from scripts.tools.messages.scenes import Scene
from tests.floor.tables import NOW, Message, alive, baccarat, messages, renamed, sent_by
from tests.floor.test_page_drawn import NoSource

LOST = inputs.DeviceLost(at=0, device="broker", why="x")
COUNTS = {"blocked": 3, "silent": 6, "warned": 32, "playing": 139, "no_shoe": 0, "closed": 20}
NAMES = [f"T{number:03}" for number in range(1, 201)]


@cache
def sent(kind: str) -> list[Sent]:
    """What a page that begins now is sent: the last of each topic."""
    scenes = {"blocked": baccarat(20, 7, "9s ?? Kd"), "warned": Scene("baccarat", {}, ("shoe", LOST))}
    return list({each.topic: each for each in sent_by(scenes.get(kind, baccarat(24, 1)))}.values())


def two_hundred(now: int = NOW, names: Sequence[str] = NAMES) -> dict[str, list[Message]]:
    """What a floor of 200 tables says, by name."""
    states = {"silent": "lost", "closed": "stopped"}
    by_table = {}
    kinds = [kind for kind, count in COUNTS.items() for _ in range(count)]
    for number, kind in enumerate(kinds):
        name = names[(number * 37) % 200]
        by_table[name] = [
            *renamed(name, sent(kind), now - number * 1000),
            *alive(name, now, state=states.get(kind, "online")),
        ]
    return by_table


def views(*batches: list[Message]) -> Views:
    feed = Feed("shoe", NoSource(), lambda: "", lambda: NOW)
    feed.handle([Delivery(each.topic, each.payload) for some in batches for each in some], "")
    return Views(feed)


@pytest.fixture(scope="module")
def floor() -> Views:
    return views(*two_hundred().values())


def test_trouble_stands_first_by_need_and_age_and_the_same_alarm_is_one_line(floor: Views) -> None:
    wall = floor.wall()
    assert wall.counts() == COUNTS
    words = [wall.places[name].word for name in wall.trouble]
    assert words == ["blocked"] * 3 + ["silent"] * 6 + ["alarm"]
    since = [wall.places[name].since for name in wall.trouble if wall.places[name].word == "blocked"]
    assert since == sorted(since)
    (fold,) = wall.folds.values()
    assert (len(fold.tables), wall.trouble[-1]) == (32, fold.tables[0])
    assert fold.since == min(wall.places[name].since for name in fold.tables)
    assert (len(wall.fine), len(wall.closed)) == (139, 20)
    assert list(wall.fine) == sorted(wall.fine)


def test_blocked_and_gone_never_fold() -> None:
    batches = [[*messages(f"T{n}", baccarat(5, 7, "9s ??")), *alive(f"T{n}")] for n in range(9)]
    lost = [
        [*messages(f"L{n}", Scene("baccarat", {}, ("shoe", LOST))), *alive(f"L{n}", state="lost")] for n in range(9)
    ]
    wall = views(*batches, *lost).wall()
    assert (wall.folds, len(wall.trouble)) == ({}, 18)


def test_two_tables_with_the_same_alarm_stand_alone() -> None:
    batches = [[*messages(f"T{n}", Scene("baccarat", {}, ("shoe", LOST))), *alive(f"T{n}")] for n in range(3)]
    assert [len(views(*batches[:count]).wall().folds) for count in (2, 3)] == [0, 1]


def test_a_critical_alarm_of_now_stands_before_a_warning_of_yesterday() -> None:
    def with_alarm(name: str, severity: str, since: int) -> list[Message]:
        batch = messages(name, Scene("baccarat", {}, ("shoe", LOST)))
        body = msgspec.json.decode(next(each.payload for each in reversed(batch) if each.topic.endswith("/alarm")))
        body["open"] = [each | {"severity": severity, "since": since} for each in body["open"]]
        return [*batch, Message(f"shoe/{name}/alarm", msgspec.json.encode(body), True), *alive(name)]

    made = views(
        with_alarm("OLD-WARNING", "warning", NOW - 86_400_000),
        with_alarm("NEW-CRITICAL", "critical", NOW),
        with_alarm("NOTE", "note", NOW),
        [*messages("DEAD", baccarat(3)), *alive("DEAD", state="lost")],
    )
    assert list(made.wall().trouble) == ["DEAD", "NEW-CRITICAL", "OLD-WARNING"]
    assert list(made.wall().fine) == ["NOTE"]


def test_the_page_of_two_hundred_tables_is_small_and_so_is_an_update() -> None:
    made = views(*two_hundred().values())
    assert len(made.grid_document("zh-Hant").encode()) < 300_000
    before = dict(made.grid_parts("zh-Hant"))
    name = made.wall().fine[50]
    blocked = [*renamed(name, sent("blocked"), NOW), *alive(name)]
    made._feed.handle([Delivery(each.topic, each.payload) for each in blocked], "")
    after = made.grid_parts("zh-Hant")
    changed = {id: part for id, part in after.items() if before.get(id) != part}
    assert {f"t-{name}", f"p-{name}", "n-blocked", "n-playing", "title", "icon"} <= changed.keys()
    assert len(json.dumps(changed, ensure_ascii=False).encode()) < 2_000


def test_title_and_icon_carry_the_count(floor: Views) -> None:
    parts = floor.grid_parts("en")
    assert parts["title"] == "3 blocked, 6 gone, 32 warned · Tables · Shoe bridge"
    assert parts["icon"] == "/icon/blocked/3.svg"
    page = floor.grid_document("en")
    assert f"<title>{parts['title']}</title>" in page
    assert '<link rel="icon" href="/icon/blocked/3.svg"' in page
    assert ">3</text>" in icon("blocked", 3)
    fine = views(messages("T1", baccarat(3)), alive("T1"))
    assert (fine.grid_parts("en")["title"], fine.grid_parts("en")["icon"]) == (
        "Tables · Shoe bridge",
        "/static/icon.svg",
    )


def test_a_pit_has_its_own_counts_and_tables() -> None:
    def at(name: str, pit: str, *then: str) -> list[Message]:
        return [*messages(name, Scene("baccarat", {"pit": pit}, ("shoe", *then))), *alive(name)]

    made = views(at("T1", "High"), at("T2", "Main", "9s ?? Kd"), at("T3", "Main"))
    assert made.pits() == ["High", "Main"]
    assert list(made.wall("High").places) == ["T1"]
    assert made.grid_parts("en", "High")["title"] == "High · Shoe bridge"
    assert made.grid_parts("en", "Main")["n-blocked"] != made.grid_parts("en", "High")["n-blocked"]
    page = "".join(made.grid_pieces("en", None, Asked(pit="Main", is_wall=True)))
    assert re.findall(r'<li id="tile-(\w+)', page) == ["T2", "T3"]
    assert 'data-stream="/stream?lang=en&amp;pit=Main&amp;wall=on"' in page
    assert list(made.wall("Nowhere").places) == []


def test_without_a_script_names_are_searched_and_counts_filter(floor: Views) -> None:
    page = "".join(floor.grid_pieces("en", None, Asked("silent", "t19")))
    assert set(re.findall(r'<li id="tile-(\w+)', page)) <= {f"T19{digit}" for digit in range(10)}
    assert 'id="wall" data-show="silent"' in page
    assert 'data-show="silent" class="count is-silent" aria-current="true"' in page
    assert 'data-show="x"' not in "".join(floor.grid_pieces("en", None, Asked("x")))


def test_a_longer_name_has_more_columns_of_the_server_and_of_the_script() -> None:
    names = {letters: "N" * letters for letters in (5, 6, 14, 15, 64)}
    page = views(*(messages(name, baccarat(3)) for name in names.values())).grid_document("en")
    wide = {letters: re.search(rf'id="tile-{name}"[^>]* data-wide="(\d)"', page)[1] for letters, name in names.items()}  # type: ignore[index]  # it is there
    assert wide == {5: "0", 6: "1", 14: "1", 15: "2", 64: "2"}
    script = (Path(page_package.__file__).parent / "static/wall.js").read_text("utf-8")
    assert "tile.dataset.wide = (name.length > 5) + (name.length > 14);" in script


def test_pits_of_the_page_stand_before_those_of_the_tables() -> None:
    batches = [messages(name, Scene("baccarat", {"pit": "Own"}, ("shoe",))) for name in ("B01", "B02", "V01", "X")]
    feed = views(*batches)._feed
    made = Views(feed, {"High": ("V*",), "Main": ("B0?", "V01")})
    assert made.pits() == ["High", "Main", "Own"]
    assert {pit: list(made.wall(pit).places) for pit in made.pits()} == {
        "High": ["V01"],
        "Main": ["B01", "B02"],
        "Own": ["X"],
    }
    assert parse({"page": {"pits": {"Main": ["B*"]}}}).page.pits == {"Main": ("B*",)}
