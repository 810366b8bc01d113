"""What a person closes in every store, and what an ingest says there of itself; fixtures as of `every_store`."""

from hashlib import sha256

import pytest

from firmware_bridge.client.asking import EVER
from firmware_bridge.floor.ingest import Ingest
from firmware_bridge.floor.record.ledger import Ledger
from firmware_bridge.floor.record.message import Key, Row, Unread
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.closings import ClosedGap, Closing
from firmware_bridge.floor.store.condition import Heartbeat, Room
from tests.floor.every_store import BEFORE, KEY, NOW, Engine
from tests.floor.journals import AT, event
from tests.floor.test_ingest import Said

BY = Closing("ANNA", "its disk died, report 4711", AT)


def saved(store: Store, *rows: Row) -> None:
    """Save messages as an ingest does."""
    ledger = Ledger(store.load, store.lacking())
    for each in rows:
        ledger.add(each)
    store.save(rows, [], list(ledger.changes()))


def gaps(store: Store) -> list[tuple[object, ...]]:
    return [tuple(row[:4]) for row in store.rows("gaps", None, None)]


def test_a_closed_gap_is_no_gap_and_opens_again_when_more_is_missing(store: Store) -> None:
    saved(store, event(1), event(3), event(5))
    assert gaps(store) == [("T07", KEY.journal, 2, 5)]
    assert store.close_gap(KEY, 0, BY) == 5
    assert (gaps(store), store.lacking(), store.closed_gaps()) == ([], [], [ClosedGap(KEY, 5, EVER)])
    saved(store, event(6))
    assert gaps(store) == []
    saved(store, event(8))
    assert gaps(store) == [("T07", KEY.journal, 7, 8)]
    saved(store, event(7))
    assert gaps(store) == []
    assert store.load(KEY).progress.whole == 1  # nothing that is missing is said to be stored
    saved(store, event(2), event(4))
    assert store.load(KEY).progress.whole == 8


def test_a_gap_is_closed_up_to_the_entry_that_was_named(store: Store) -> None:
    saved(store, event(1), event(3), event(5))
    assert store.close_gap(KEY, 2, BY) == 2
    assert gaps(store) == [("T07", KEY.journal, 4, 5)]
    assert store.close_gap(KEY, 3, BY) == 0  # nothing more is missing up to there
    assert store.close_gap(KEY, 99, BY) == 5
    assert [row[:8] + row[8:] for row in store.rows("closed", "T07", None)] == [
        ("gap", "", "T07", KEY.journal, seq, 0, "", since, *BY) for seq, since in ((2, EVER), (5, ""))
    ]
    assert store.close_gap(Key("T07", "9-unknown"), 0, BY) == 0


def test_an_ingest_asks_no_more_for_what_was_closed_beside_it(store: Store) -> None:
    now = 0.0
    source = Said()
    ingest = Ingest(store, source, clock=lambda: now)
    ingest.save([Delivery("shoe/T07/event", each.body) for each in (event(1), event(3))])
    now = 5.0
    assert ingest.ask() == 0
    now = 11.0
    assert ingest.ask() == 1
    assert store.close_gap(KEY, 0, BY) == 3
    ingest.save([Delivery("shoe/T07/event", event(4).body)])  # its ledger does not know yet
    ingest.beat()
    now = 60.0
    assert ingest.ask() == 0
    assert store.lacking() == []
    ingest.save([Delivery("shoe/T07/event", event(6).body)])
    now = 120.0
    ingest.ask()
    now = 126.0
    assert ingest.ask() == 1
    assert source.published[-1][1]["from"] == 5
    assert gaps(store) == [("T07", KEY.journal, 5, 6)]


def test_a_table_that_is_gone_is_asked_no_more_for_what_was_before(store: Store) -> None:
    store.save([], [], [Progress(KEY, 3, 2, 2, EVER)])
    assert list(store.owing()) == ["T07"]
    assert store.close_gap(KEY, 0, BY) == 2
    assert (store.owing(), store.lacking()) == ({}, [])


def test_a_journal_with_a_closed_gap_can_be_deleted_when_it_is_old(store: Store) -> None:
    saved(store, event(1), event(3))
    assert [each.stays for each in store.old(BEFORE)] == ["it is not complete"]
    store.close_gap(KEY, 0, BY)
    assert store.expire(KEY, BEFORE, NOW)


def test_a_closed_conflict_is_kept_and_another_one_is_open(store: Store) -> None:
    other, third = event(1, kind="Other"), event(1, kind="Third")
    store.save([event(1), other], [], [])
    assert store.close_conflicts(KEY, 1, "00", BY) == 0
    assert store.close_conflicts(KEY, 2, "", BY) == 0
    assert store.close_conflicts(KEY, 1, "", BY) == 1
    store.save([event(1), other], [], [])
    assert store.count("conflicts") == 0
    store.save([third], [], [])
    [found] = store.rows("conflicts", None, None)
    assert (found[8], found[9]) == (third.body.decode(), sha256(third.body).hexdigest())
    assert store.close_conflicts(KEY, 1, str(found[9]), BY) == 1
    assert (store.count("conflicts"), store.count_some("conflicts"), store.closed_counts()) == (0, 0, {"conflict": 2})
    [one, two] = store.rows("closed_conflicts", "T07", KEY.journal)
    assert store.columns("closed_conflicts")[9:] == ("digest", "by", "why", "closed_at")
    assert {one[6], two[6]} == {event(1).body.decode()}
    assert {one[8], two[8]} == {other.body.decode(), third.body.decode()}
    assert one[10:] == two[10:] == BY


def test_what_is_closed_in_quarantine_is_what_was_there(store: Store) -> None:
    first, second = (Unread("shoe/T07/event", at, "bad", body) for at, body in ((AT, b"\xff"), (NOW, b"\xfe")))
    store.save([], [first, second], [])
    assert store.close_quarantine("", AT, BY) == 1
    assert [row[3] for row in store.rows("quarantine", None, None)] == [b"\xfe"]
    assert store.close_quarantine(sha256(b"\xfe").hexdigest(), "", BY) == 1
    assert store.close_quarantine("", "", BY) == 0
    closed = [(row[3], *row[5:]) for row in store.rows("closed_quarantine", None, None)]
    assert closed == [(b"\xff", *BY), (b"\xfe", *BY)]
    store.save([], [first._replace(topic="shoe/T08/event"), first], [])
    assert [row[0] for row in store.rows("quarantine", None, None)] == ["shoe/T08/event"]
    assert (store.count("quarantine"), store.count_some("quarantine")) == (1, 1)


def test_bytes_that_are_in_quarantine_for_two_reasons_are_two_rows_when_they_are_closed(store: Store) -> None:
    store.save([], [Unread("shoe/T07/event", AT, reason, b"\xff") for reason in ("byte 17", "byte 20")], [])
    assert store.close_quarantine("", "", BY) == 2
    assert store.count("closed_quarantine") == 2


def test_a_gap_is_as_old_as_what_came_of_it_last(store: Store, engine: Engine) -> None:
    def moved() -> str:
        [row] = store.rows("gaps", None, None)
        return str(row[-1])

    store.save([], [], [Progress(KEY, 3, 1, 9)])
    engine.execute(f"update progress set moved_at = '{AT}'")
    store.save([], [], [Progress(KEY, 3, 1, 12)])
    assert moved() == AT
    store.save([], [], [Progress(KEY, 3, 2, 12)])
    assert moved() > AT
    engine.execute(f"update progress set moved_at = '{AT}', whole = known")
    store.save([], [], [Progress(KEY, 3, 2, 14)])
    assert moved() > AT


def test_an_ingest_says_that_it_runs_and_how_large_the_store_is(store: Store) -> None:
    source, now = Said(), 0.0
    ingest = Ingest(store, source, clock=lambda: now, session="one")
    assert store.heartbeats() == store.sizes() == []
    ingest.beat()
    ingest.save([Delivery("shoe/T07/event", each.body) for each in (event(1), event(4), event(9))])
    ingest.beat()
    [first] = store.heartbeats()
    assert (first.name, first.committed_at, first.message_at, first.backlog, first.fault) == ("one", "", "", 0, "")
    source.fault, now = "it does not answer", 5.0
    ingest.beat()
    [second] = store.heartbeats()
    assert second.at >= second.committed_at == second.message_at > first.at
    assert (second.backlog, second.fault) == (6, "it does not answer")
    ingest.beat(over="it was ended")
    Ingest(store, Said(), session="one").beat()
    [third] = store.heartbeats()
    assert (third.committed_at, third.fault) == (second.committed_at, "")
    [(_, size)] = store.sizes()
    room = store.room()
    assert 0 < size <= room.used
    assert room.free is None or room.free > 0
    assert isinstance(room, Room)


@pytest.mark.parametrize("age", ["2026-11-18T21:33:05.123Z", "2026-11-20T21:33:00.123Z"])
def test_an_ingest_that_ran_a_day_before_another_is_forgotten(store: Store, age: str) -> None:
    store.beat(Heartbeat("old", age))
    assert [each.name for each in store.heartbeats()] == ["old"]
    store.beat(Heartbeat("new", AT))
    assert [each.name for each in store.heartbeats()] == (["new"] if age[:10] < AT[:10] else ["new", "old"])
