"""What one table says that nobody can draw: its own parts say so, and every other table stays on the page."""

from __future__ import annotations

import logging
from functools import cache
from typing import Any

import msgspec
import pytest

from firmware_bridge.floor.page.feed import Feed
from firmware_bridge.floor.page.tile import natural
from firmware_bridge.floor.page.views import Views
from firmware_bridge.floor.source import Delivery
from firmware_bridge.topics.texts import LANGUAGES, text
from tests.floor.tables import NOW, Message, alive, baccarat, latest, messages
from tests.floor.test_page_drawn import NoSource

MANY_DIGITS = b"9" * 400


@cache
def said(name: str) -> tuple[Message, ...]:
    return (*messages(name, baccarat(5)), *alive(name))


def payload(topic: str) -> dict[str, Any]:
    """The latest that T66 says on a topic."""
    payloads = [each.payload for each in said("T66") if each.topic == f"shoe/T66/{topic}"]
    decoded: dict[str, Any] = msgspec.json.decode(payloads[-1])
    return decoded


def odd(topic: str, *path: str | int, to: Any) -> Delivery:
    """The latest that T66 says on a topic, with another value at a place; bytes stand there as they are."""
    body: Any = payload(topic)
    place = body
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = msgspec.Raw(to) if isinstance(to, bytes) else to
    return Delivery(f"shoe/T66/{topic}", msgspec.json.encode(body))


def feed(*deliveries: Delivery) -> Feed:
    """A feed with two sound tables, T01 and T66, and what is odd after that."""
    made = Feed("shoe", NoSource(), lambda: "", lambda: NOW)
    sound = [Delivery(each.topic, each.payload) for name in ("T01", "T66") for each in said(name)]
    made.handle([*sound, *deliveries], "")
    return made


ODD = {
    "a colour of a newer table": odd("roads", "big_grid", 0, 2, to="gold"),
    "a column of 400 digits": odd("roads", "big_grid", 0, 0, to=MANY_DIGITS),
    "no naturals": odd("roads", "naturals", to=""),
    "cards of 400 digits": odd("table", "cards_left", to=MANY_DIGITS),
    "reads of 400 digits": odd("health", "reader", "reads", to=MANY_DIGITS),
    "an uptime of 400 digits": odd("health", "uptime_s", to=MANY_DIGITS),
    "a lamp of 400 digits": odd("health", "reader", "lamp", to=MANY_DIGITS),
}


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("delivery", ODD.values(), ids=ODD)
def test_a_message_that_nobody_can_draw_takes_no_page_away(delivery: Delivery, lang: Any) -> None:
    sound, drawn = Views(feed()), Views(feed(delivery))
    parts, wanted = drawn.grid_parts(lang), sound.grid_parts(lang)
    assert [parts["tables"], parts["t-T01"], parts["p-T01"]] == [wanted["tables"], wanted["t-T01"], wanted["p-T01"]]
    assert drawn.grid_document(lang).count('<li id="tile-') == 2
    assert drawn.table_document("T01", lang) == sound.table_document("T01", lang)
    assert "<title>" in drawn.table_document("T66", lang)


def test_what_cannot_be_drawn_says_so_and_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    made = feed(ODD["a colour of a newer table"])
    views = Views(made)
    for _ in range(3):
        made.handle([Delivery("shoe/T66/status", each.payload) for each in alive("T66")[:1]], "")
        parts = views.table_parts("T66", "en")
        assert text("en", "page.not_drawn") in parts["roads"]
        assert text("en", "page.not_drawn") not in parts["state"] + parts["rounds"]
    assert [each.getMessage() for each in caplog.records] == ["table T66: the part roads cannot be drawn"]
    made.handle([odd("roads", "boot", to="5c1e8a02")], "")
    assert views.table_parts("T66", "en")["roads"] == Views(feed()).table_parts("T66", "en")["roads"]
    made.handle([ODD["a colour of a newer table"]], "")  # a table that is odd and whole in turn fills no log
    assert text("en", "page.not_drawn") in views.table_parts("T66", "en")["roads"]
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    "raw",
    [
        msgspec.json.encode(payload("round") | {"round": 90, "shown": ["XX"]}).replace(b"XX", b"\xff"),
        msgspec.json.encode(payload("round") | {"round": 90})[:-1]
        + b',"dealer":'
        + b"[" * 100_000
        + b"]" * 100_000
        + b"}",
    ],
    ids=["no UTF-8", "too deep"],
)
def test_a_round_that_cannot_be_read_is_reported_at_its_table(raw: bytes) -> None:
    made = feed(Delivery("shoe/T66/round", raw))
    assert list(made.floor.tables["T66"].unreadable) == ["round"]
    assert made.troubles["T66"].word == "alarm"
    assert made.troubles["T01"].word == "playing"


def test_what_another_table_says_on_a_tables_topics_is_not_shown_as_its_own() -> None:
    made = feed()
    before = Views(made).table_parts("T66", "en")
    wrong = (*messages("T08", baccarat(9, 3)), *alive("T08", state="stopped"))
    made.handle([Delivery(each.topic.replace("T08", "T66"), each.payload) for each in wrong], "")
    seen = made.floor.tables["T66"]
    assert seen.unreadable == {
        each.topic.split("/")[2]: "the topic is of table T66, the message of T08" for each in wrong
    }
    after = Views(made).table_parts("T66", "en")
    assert {id for id in after if after[id] != before[id]} == {"state"}
    assert "A message of this table cannot be read" in after["state"]
    kept = made.guests.tables["T66"]
    assert {each.table for each in (kept.status, kept.alarm, kept.table, kept.roads, *kept.rounds) if each} == {"T66"}
    assert made.troubles["T66"] == ("alarm", "")


def test_a_message_that_breaks_the_fold_is_left_out(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made = feed()

    def breaks(*_: object) -> bool:
        raise RuntimeError("nobody thought of that")

    monkeypatch.setattr(made.guests, "handle", breaks)
    deliveries = [Delivery(each.topic, each.payload) for each in latest(messages("T02", baccarat(2)))]
    made.handle([*deliveries, *deliveries], "")
    assert made.troubles["T02"].word == "playing"
    assert len(caplog.records) == len(deliveries)


@pytest.mark.parametrize("name", ["²", "T²", "①2", "9" * 4299, "9" * 5000, "T" + "9" * 5000])
def test_any_name_can_be_sorted(name: str) -> None:
    made = feed(*[Delivery(f"shoe/{name}/{each.topic.split('/')[2]}", each.payload) for each in alive("T66")])
    assert f"tile-{name}" in Views(made).grid_document("en")


def test_names_are_sorted_as_people_do() -> None:
    assert sorted(["T10", "T2", "VIP", "T1"], key=natural) == ["T1", "T2", "T10", "VIP"]


def test_a_feed_logs_nothing_of_sound_messages(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        Views(feed()).grid_document("en")
    assert not caplog.records
