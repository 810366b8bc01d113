"""What every reader of a store says of a table's past: the tests of each engine bring the fixture `config`."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from functools import cache

import pytest

from firmware_bridge.facts import orders
from firmware_bridge.floor.config import FloorConfig
from firmware_bridge.floor.facts.answers import spans
from firmware_bridge.floor.record.message import Row, row
from firmware_bridge.floor.store import Reader
from firmware_bridge.floor.store.open import open_reader, open_store
from firmware_bridge.floor.store.past_queries import Dealt
from scripts.tools.messages.played import played
from scripts.tools.messages.scenes import Scene
from tests.floor.tables import NOW, RETAINED, Message, renamed

SCENE = Scene(
    "baccarat",
    {"burn": "none"},
    (
        "shoe 9s Kd Th Kc 8s Kd Th Kc 9s ?? Kd",
        orders.Void(round=3, why="misdeal"),
        orders.DealerIn("Lam"),
        "8h 2c 3d 4c 5s !correct 2 9sKdThKc !close_shoe",
        "shoe 9s Kd Th Kc 9s 9s 9s 9s 9s 9s 9s 9s",
        orders.Resolve("duplicate", "remove", why="seen twice"),
        "2h 3d",
    ),
)
"""Two shoes: a round that was void because of a card that was not read, one that was corrected, a duplicate card."""


@cache
def past_messages(name: str, now: int = NOW) -> tuple[Message, ...]:
    """What a table says that played this."""
    sent = [each for moment in played(SCENE) for each in moment.sent if each.topic in (*RETAINED, "round", "event")]
    return tuple(renamed(name, sent, now))


def kept(name: str, now: int = NOW) -> list[Row]:
    """What a store keeps of it."""
    topics = [(each.topic.rpartition("/")[2], each.payload) for each in past_messages(name, now)]
    return [row(topic, name, payload, "x") for topic, payload in topics if topic in ("round", "event")]


def stored_past(config: FloorConfig, *names: str, now: int = NOW) -> None:
    """Let the store have it."""
    with closing(open_store(config, make=True)) as store:
        for name in names:
            store.save(kept(name, now), [], [])


@pytest.fixture
def past(config: FloorConfig) -> Iterator[Reader]:
    """A reader of a store with two tables that played this."""
    stored_past(config, "T07", "T08")
    reader = open_reader(config)
    assert reader is not None
    with closing(reader):
        yield reader


def test_the_shoes_of_a_table_come_from_the_newest_back(past: Reader) -> None:
    newest, first = past.shoes_back("T07", 9)
    assert (newest.shoe, first.shoe) == (2, 1)
    assert newest.ended_at is None
    assert first.dealt == (Dealt("", 3, 1, 1), Dealt("Lam", 1, 0, 0))
    assert first.opened_at and first.ended_at and first.opened_at < first.ended_at  # noqa: PT018
    assert (first.game, first.decks, first.code, first.by, first.why) == ("baccarat", 8, "closed", "backend", "")
    assert [each.shoe for each in past.shoes_back("T07", 1)] == [2]
    assert [each.shoe for each in past.shoes_back("T07", 9, 1)] == [1]
    assert [each.shoe for each in past.shoes_back("T07", 9, 2, 2)] == [2]
    assert past.shoes_back("T09", 9) == []


def test_the_alarms_of_journals_have_their_end_and_who_decided(past: Reader) -> None:
    newest, first = past.shoes_back("T07", 9)
    of_first = spans(past.alarms_in("T07", [first.journal]))
    assert [(began.id, ended and ended.choice) for began, ended in of_first] == [("unreadable", "void")]
    found = spans(past.alarms_in("T07", [newest.journal, first.journal]))
    ends = {began.id: ended and (ended.table, ended.choice, ended.by) for began, ended in found}
    by_pit = ("T07", "remove", "backend")
    assert ends == {"unreadable": ("T07", "void", "backend"), "duplicate": by_pit, "unshuffled": None}
    assert past.alarms_in("T07", []) == []


def test_a_round_has_all_that_was_said_about_it_the_newest_last(past: Reader) -> None:
    first = past.shoes_back("T07", 9)[-1]
    all_of_it = past.rounds_of("T07", first.journal, 1)
    assert [(json.loads(each.body)["round"], json.loads(each.body)["status"]) for each in all_of_it] == [
        (1, "closed"), (2, "closed"), (2, "corrected"), (3, "voided"), (4, "closed"),
    ]  # fmt: skip
    second = past.rounds_of("T07", first.journal, 1, 2, 2)
    assert [json.loads(each.body)["seq"] for each in second] == [each.seq for each in second]
    assert past.rounds_of("T07", first.journal, 2) == []


def test_the_past_of_a_table_is_found_by_indices(past: Reader, config: FloorConfig) -> None:
    if config.store.url is not None:
        pytest.skip("PostgreSQL reads a small table whole")
    shoes, rounds = past._sql.SHOES_BACK, past._sql.SHOE_ROUNDS
    named = {"tbl": "T07", "journal": "1", "shoe": 1, "first": 0, "last": 9, "most": 9}
    queries = [(each.text, each.values(named)) for each in (shoes, rounds)]
    queries += [past._sql.listed(past._sql.SHOE_DEALERS, [("T07", "1", 1)])]
    queries += [past._sql.listed(past._sql.ALARMS_IN, [("T07", "1")])]
    for query, values in queries:
        plan = [each[-1] for each in past._db.execute(f"explain query plan {query}", values)]
        assert not [each for each in plan if re.match("SCAN (?!names|CONSTANT)", each)], plan
