"""What every store does with its feed, whatever its engine: each brings the fixtures `engine` and `store`."""

from __future__ import annotations

import json
import random

import pytest

from firmware_bridge.floor.facts.made import _MADE
from firmware_bridge.floor.record.message import Key, Row
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.record.state import Changes, ProvedRound, TrustedKey
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.commands import compact
from firmware_bridge.floor.store.fact_queries import RoundAt
from firmware_bridge.floor.store.feed import KINDS, FedMessage, Forwarded
from tests.floor.every_facts import ask, changed, every_row
from tests.floor.facts.played import rows
from tests.floor.house import shoes_over
from tests.floor.journals import AT, event

LATER, TODAY = "2036-01-01T00:00:00.000Z", "2037-01-01T00:00:00.000Z"


@pytest.fixture
def closed() -> Row:
    """The first closed round of a baccarat table."""
    return next(each for each in rows("baccarat") if each.topic == "round")


def fed(store: Store, kind: str = "") -> list[FedMessage]:
    return [each for each in store.feed_after(0, 10_000) if kind in ("", each.kind)]


def ids(messages: list[FedMessage]) -> list[tuple[object, ...]]:
    return [each[1:6] for each in messages]


def places(found: list[RoundAt]) -> list[int]:
    return [each.place for each in found]


@pytest.mark.parametrize("at_once", [1, 7, 1000])
def test_each_message_that_is_a_fact_is_in_the_feed_once_with_its_bytes(store: Store, at_once: int) -> None:
    messages = [*every_row(), *every_row()]
    random.Random(at_once).shuffle(messages)
    for start in range(0, len(messages), at_once):
        store.save(messages[start : start + at_once], [], [])
    found, sent = fed(store), every_row()
    assert sorted(each.body or b"" for each in fed(store, "round")) == sorted(
        each.body for each in sent if each.topic == "round"
    )
    assert {each.kind for each in found} <= set(KINDS)
    assert len(set(ids(found))) == len(found)
    assert {each.body for each in found} <= {each.body for each in sent}
    types = [json.loads(each.body)["event"]["type"] for each in sent if each.topic == "event"]
    assert sum(each in _MADE and each != "ShiftEnded" for each in types) == sum(
        each.kind not in ("round", "shift") for each in found
    )


def test_places_rise_with_the_commits_and_in_a_commit_with_the_entries(store: Store) -> None:
    messages = list(rows("baccarat"))
    half = len(messages) // 2
    store.save(messages[:half], [], [])
    end = store.feed_end()
    store.save(messages[half:], [], [])
    found = fed(store)
    assert [each.place for each in found] == sorted(each.place for each in found)
    assert store.feed_end() == found[-1].place > end
    assert ids(store.feed_after(end, 1)) == ids([each for each in found if each.place > end][:1])
    for part in (found[:1], found):
        named = [(each.journal, each.seq, each.n) for each in part if each.place <= end]
        assert named == sorted(named)


def test_what_is_made_again_is_not_fed_again(store: Store) -> None:
    store.save(every_row(), [], [])
    before = fed(store)
    for table in {each.table for each in every_row()}:
        store.rebuild_table(table)
    assert fed(store) == before


def test_a_round_comes_again_behind_a_place_when_it_changes(store: Store, closed: Row) -> None:
    store.save([closed], [], [])
    [first] = store.rounds_after(closed.table, 0, 10)
    assert (first.status, first.revision, first.at) == ("closed", 0, closed.at)
    assert store.rounds_after(closed.table, first.place, 10) == []
    store.save([changed(closed, seq=99, revision=1, status="voided", by="bo")], [], [])
    [void] = store.rounds_after(closed.table, first.place, 10)
    assert (void.status, void.round) == ("voided", first.round)
    assert store.rounds_after(closed.table, 0, 10) == [void]
    assert store.rounds_after("T99", 0, 10) == []


def test_a_late_message_that_does_not_count_changes_no_round(store: Store, closed: Row) -> None:
    store.save([changed(closed, seq=99, revision=1, status="voided", by="bo")], [], [])
    found = store.rounds_after(closed.table, 0, 10)
    store.save([closed], [], [])
    assert store.rounds_after(closed.table, 0, 10) == found
    assert store.newest_rounds() == {closed.table: found[0]}
    assert len(fed(store, "round")) == 2


def test_the_rounds_of_a_table_come_a_page_at_a_time(store: Store) -> None:
    store.save(every_row(), [], [])
    table = every_row()[0].table
    all_of_them = store.rounds_after(table, 0, 1_000)
    found: list[RoundAt] = []
    while some := store.rounds_after(table, found[-1].place if found else 0, 2):
        found += some
    assert found == all_of_them
    assert places(found) == sorted(places(found))
    assert set(store.newest_rounds()) == {each.table for each in every_row()}


def test_of_an_enrolled_table_only_what_is_verified_is_fed_also_what_came_before(store: Store, closed: Row) -> None:
    other = changed(closed, seq=99, round=99)
    store.save([closed, other], [], [])
    assert len(fed(store, "round")) == 2
    end = store.feed_end()
    store.put_key(TrustedKey(closed.table, "vkey", "enrolled", "A", "B", AT))
    assert (fed(store, "round"), store.rounds_after(closed.table, 0, 10)) == ([], [])
    forged = changed(closed, outcome="tie")
    (changes := Changes()).proved.append(ProvedRound(forged, "log", 8))
    store.save([], [], [], changes)
    [found] = fed(store, "round")
    assert (found.body, found.place > end) == (forged.body, True)
    [kept] = store.rounds_after(closed.table, 0, 10)
    assert kept.outcome == "tie"


def test_bytes_that_were_verified_in_the_place_of_others_come_in_a_new_place(store: Store, closed: Row) -> None:
    forged = changed(closed, outcome="tie")
    store.save([forged], [], [])
    [first] = store.rounds_after(closed.table, 0, 10)
    (changes := Changes()).proved.append(ProvedRound(closed, "log", 8))
    for _ in range(2):
        store.save([], [], [], changes)
        [found] = store.feed_after(first.place, 10)
        assert found.body == closed.body
    [kept] = store.rounds_after(closed.table, first.place, 10)
    assert (first.outcome, kept.outcome) == ("tie", json.loads(closed.body)["outcome"])


def test_the_feed_of_an_expired_journal_goes_and_no_place_is_given_twice(store: Store, closed: Row) -> None:
    store.save([closed], [], [Progress(closed.key, closed.shoe, closed.seq, closed.seq)])
    end = store.feed_end()
    assert store.expire(closed.key, LATER, TODAY)
    assert (fed(store), store.feed_end()) == ([], end)
    store.save([changed(closed, journal="9-1a", prev=None)], [], [])
    assert [each.place for each in fed(store)] == [end + 1]


def over(store: Store) -> list[FedMessage]:
    """Store shoes that are over; returns what is in the feed."""
    store.save(every_row(), [], [])
    shoes_over(store, every_row())
    store.save([event(1)], [], [])  # SQLite leaves the journal of its last row
    return fed(store)


def test_events_in_blocks_are_fed_as_they_came_and_go_with_their_block(store: Store) -> None:
    before = over(store)
    store.put_forwarded(Forwarded("cms", 0))
    assert compact(store, 0) != compact(store, 0)
    assert fed(store) == before
    assert {each.body is None for each in before} == {False}
    gone = store.compacted(LATER)
    for key in gone:
        assert store.expire_events(key, LATER, TODAY)
    assert fed(store) == [each for each in before if each.kind == "round" or Key(*each[1:3]) not in gone]
    assert len(fed(store)) < len(before)
    assert {each.kind for each in before} > {"round"}


def test_of_a_compacted_shoe_what_every_receiver_took_goes_from_the_feed(store: Store) -> None:
    before = over(store)
    half = before[len(before) // 2].place
    store.put_forwarded(Forwarded("a", half), Forwarded("b", before[-1].place))
    compact(store, 0)
    assert fed(store) == [each for each in before if each.place > half]
    store.put_forwarded(Forwarded("a", half + 1))
    compact(store, 0)
    assert fed(store) == [each for each in before if each.place > half + 1]


def test_without_a_receiver_the_feed_keeps_no_compacted_shoe(store: Store) -> None:
    end = over(store)[-1].place
    compact(store, 0)
    assert (fed(store), store.feed_end()) == ([], end)


def test_what_is_not_compacted_stays_in_the_feed(store: Store) -> None:
    store.save(every_row(), [], [])
    before = fed(store)
    assert compact(store, 0).startswith("0 journals")
    assert fed(store) == before


def test_what_was_taken_is_not_fed_again_when_it_comes_again(store: Store) -> None:
    over(store)
    compact(store, 0)
    store.save(every_row(), [], [])
    for row in every_row():
        store.save([row], [], [])
    for key in store.journals():
        store.rebuild_journal(key)
    assert fed(store) == []
    for key in store.compacted(LATER):
        assert store.expire_events(key, LATER, TODAY)
    store.save(every_row(), [], [])
    assert fed(store) == []


def test_what_comes_later_of_a_compacted_shoe_is_fed(store: Store, closed: Row) -> None:
    over(store)
    compact(store, 0)
    late = changed(closed, seq=9_999, revision=1, status="voided", by="bo")
    store.save([late], [], [])
    assert [each.body for each in fed(store)] == [late.body]


def test_a_table_that_is_enrolled_later_is_fed_again_what_was_taken(store: Store, closed: Row) -> None:
    over(store)
    compact(store, 0)
    store.put_key(TrustedKey(closed.table, "vkey", "enrolled", "A", "B", AT))
    (changes := Changes()).proved.append(ProvedRound(closed, "log", 8))
    store.save([], [], [], changes)
    assert [each.body for each in fed(store)] == [closed.body]


def test_how_far_a_receiver_is_stays(engine: object, store: Store) -> None:
    store.put_forwarded(Forwarded("b", 3), Forwarded("a", 7, AT, "it answers 500", AT))
    store.put_forwarded(Forwarded("b", 4, AT))
    assert store.forwarded() == [Forwarded("a", 7, AT, "it answers 500", AT), Forwarded("b", 4, AT)]
    assert len(ask(store, "select * from forward")) == 2
