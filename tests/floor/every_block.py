"""What every store does with events in blocks: the tests of each engine bring the fixtures `engine` and `store`."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, get_args

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.client.testing import FakeTable
from firmware_bridge.floor.ingest import Ingest
from firmware_bridge.floor.record.message import Key, Row
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.store import Saved, Store, What, compaction
from firmware_bridge.floor.store.blocks import Block, packed
from firmware_bridge.floor.store.commands import compact, expire_events
from firmware_bridge.floor.store.errors import DamagedBlock, StoreError
from firmware_bridge.floor.verified.audit import Audit
from tests.floor.every_facts import TABLES, every_row, facts
from tests.floor.every_store import Engine
from tests.floor.house import shoes_over
from tests.floor.journals import AT, event, round_of
from tests.floor.test_ingest import Said

LATER = "2031-01-01T00:00:00.000Z"
OVER, NEXT = Key("T07", "3-5ad1"), Key("T07", "4-77aa")

Read = dict[str, Any]


def shoe(*numbers: int) -> list[Row]:
    return [event(each) for each in numbers] + [round_of(each, each) for each in numbers[1:]]


def keep(store: Store, rows: list[Row], whole: int = 4) -> None:
    """Store a shoe, and the first entry of the next one."""
    store.save(rows, [], [Progress(OVER, 3, whole, 4, "")])
    store.save([event(1, journal=NEXT.journal, shoe=4)], [], [Progress(NEXT, 4, 1, 1, "")])


def in_blocks(store: Store) -> int:
    with store._in_words():
        return int(store._all(store._sql.PACKED)[0][0] or 0)


def read(store: Store, rows: list[Row]) -> Read:
    """All that can be read of some messages."""
    made: Read = {what: list(store.rows(what, None, None)) for what in get_args(What)}
    made |= {f"{what} of T07": list(store.rows(what, "T07", None)) for what in ("messages", "shoes")}
    made |= {f"count of {what}": store.count(what) for what in get_args(What)}
    keys = {row.key: None for row in rows}
    made |= {f"stored {key}": store.stored_rows(*key, 2, 10_000) for key in keys}
    made |= {f"behind {key}": store.rows_behind(*key, 1, 7) for key in keys}
    made |= {f"loaded {key}": store.load(key) for key in keys}
    made |= {f"bytes of {row[:5]}": store.stored_bytes(row) for row in rows}
    made |= {f"event {row[:5]}": store.has_event(*row[1:5]) for row in rows}
    made |= {"old": store.old(LATER), "facts": facts(store), "newest": store.newest()}
    return made


def test_what_is_in_blocks_reads_as_rows_do(store: Store) -> None:
    rows = every_row()
    store.save(rows, [], [])
    shoes_over(store, rows)
    store.save([event(1)], [], [])  # SQLite counts by its last row
    before, events = read(store, rows), sum(row.topic == "event" for row in rows)
    journals = len({row.key for row in rows})
    assert compact(store, 0).startswith(f"{journals} journals compacted: {events} events of ")
    assert in_blocks(store) == events
    assert read(store, rows) == before
    assert compact(store, 0).startswith("0 journals")
    for table in TABLES:
        store.rebuild_table(table)
    assert store.save(rows, [], []) == Saved(0, len(rows), 0)
    assert store.differing(rows) == []
    assert read(store, rows) == before


def test_other_bytes_than_those_in_a_block_are_a_conflict_of_both(store: Store) -> None:
    keep(store, shoe(1, 2, 3, 4))
    assert store.compact(OVER, LATER)
    before = list(store.rows("messages", None, None))
    other = event(3, kind="Other")
    assert store.save([other, event(2), event(9)], [], []) == Saved(1, 1, 1)
    [found] = store.rows("conflicts", None, None)
    assert (found[6], found[8]) == (event(3).body.decode(), other.body.decode())
    assert store.differing([other]) == [other]
    assert [each for each in store.rows("messages", None, None) if each[3] != 9] == before
    assert store.count("messages") == len(before) + 1
    assert store.save([other, event(9)], [], []) == Saved(0, 1, 1)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda store: store.save([], [], [Progress(OVER, 3, 4, 5, "")]),
        lambda store: store.save([], [], [Progress(OVER, 3, 4, 4, "since")]),
        lambda store: store.save([event(2, kind="Other")], [], []),
        lambda store: store.save([event(5)._replace(at=LATER)], [], []),
        lambda store: store.save([event(5)._replace(received_at=LATER)], [], []),
    ],
    ids=["a gap", "something may be missing", "a conflict", "an event of now", "an event that came now"],
)
def test_a_shoe_that_is_not_over_or_not_settled_stays_as_rows(store: Store, spoil: Callable[[Store], object]) -> None:
    keep(store, shoe(1, 2, 3, 4))
    spoil(store)
    assert store.compact(OVER, LATER) is None
    assert in_blocks(store) == 0


def test_the_newest_shoe_of_a_table_stays_as_rows(store: Store) -> None:
    keep(store, shoe(1, 2, 3, 4))
    assert store.over() == [OVER]
    assert store.compact(NEXT, LATER) is None
    assert store.compact(OVER, LATER)
    assert (store.over(), store.compact(OVER, LATER)) == ([], None)


def test_an_event_that_comes_behind_a_block_is_a_row_beside_it(store: Store) -> None:
    keep(store, shoe(1, 2, 3, 4))
    store.compact(OVER, LATER)
    late = [event(5), event(6)]
    assert store.save(late, [], []) == Saved(2, 0, 0)
    assert [row.seq for row in store.stored_rows(*OVER, 1, 9) if row.topic == "event"] == [1, 2, 3, 4, 5, 6]
    assert store.compact(OVER, LATER) is None


STEPS = ("BLOCK_MADE", "BLOCK_SHOES", "EXPIRE_EVENTS")


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_compaction_that_is_broken_off_changes_nothing(
    store: Store, engine: Engine, mocker: MockerFixture, step: str, when: str
) -> None:
    rows = shoe(1, 2, 3, 4)
    keep(store, rows)
    before, whole, statement = read(store, rows), engine.content(), getattr(store._sql, step)
    many = store._many

    def broken(which: Any, values: Any) -> int:
        written = 0 if which is statement and when == "before" else many(which, values)
        if which is statement:
            raise StoreError("the power is gone", "")
        return written

    mocker.patch.object(store, "_many", broken)
    with pytest.raises(StoreError, match="the power is gone"):
        store.compact(OVER, LATER)
    mocker.stopall()
    assert (read(store, rows), engine.content()) == (before, whole)
    assert store.compact(OVER, LATER)
    assert read(store, rows) == before


def test_rows_that_changed_while_they_were_packed_stay(store: Store, mocker: MockerFixture) -> None:
    keep(store, shoe(1, 2, 3, 4))

    def beside(rows: list[Row]) -> Block:
        made = packed(rows)
        store.save([event(5)], [], [])
        return made

    mocker.patch.object(compaction, "packed", beside)
    assert store.compact(OVER, LATER) is None
    assert (in_blocks(store), store.count("messages")) == (0, 9)


def test_a_block_expires_with_its_journal(store: Store) -> None:
    keep(store, shoe(1, 2, 3, 4))
    store.compact(OVER, LATER)
    [old] = [each for each in store.old(LATER) if each.key == OVER]
    assert (old.messages, old.rounds, old.first_at, old.stays) == (7, 3, AT, "")
    assert store.expire(OVER, LATER, LATER) == old
    assert (in_blocks(store), store.count("messages")) == (0, 1)
    assert store.save(shoe(1, 2, 3, 4), [], []) == Saved(7, 0, 0)


def test_events_expire_before_their_rounds(store: Store) -> None:
    keep(store, shoe(1, 2, 3, 4))
    assert expire_events(store, 0, dry=True).startswith("would be deleted: 0 events of 0 journals")
    store.compact(OVER, LATER)
    rounds = list(store.rows("rounds", None, None))
    assert expire_events(store, 0, dry=True) == (
        "would be deleted: 4 events of 1 journals older than 0 years; their rounds are kept"
    )
    assert in_blocks(store) == 4
    assert expire_events(store, 0).startswith("deleted: 4 events of 1 journals")
    assert (in_blocks(store), list(store.rows("rounds", None, None))) == (0, rounds)
    [(table, journal, _, _, _, messages, count, _)] = store.rows("expired", None, None)
    assert (table, journal, messages, count) == (*OVER, 4, 0)
    assert store.over() == []
    [old] = [each for each in store.old(LATER) if each.key == OVER]
    assert (old.messages, old.rounds) == (3, 3)
    assert store.expire(OVER, LATER, LATER) == old


@pytest.mark.parametrize("damage", ["cut", "other", "empty"])
def test_a_damaged_block_is_refused_and_found(store: Store, damage: str) -> None:
    time = count(1.0)
    ingest = Ingest(store, Said(), clock=lambda: next(time))

    def send(topic: str, payload: bytes) -> None:
        ingest.save([Delivery(topic, payload)])

    table = FakeTable(send, "T07")
    table.play(2)
    table.new_shoe()
    table.play(1)
    for _ in range(20):
        ingest.ask()
    shoes_over(store, [])
    compact(store, 0)
    assert [each for each in Audit(store).run(whole=True) if each] == []
    first = "select tbl, journal, body, digest from block where journal = '1-fake'"
    [(tbl, journal, body, digest)] = store._db.execute(first).fetchall()
    with store._transaction(), store._deleting("block"):
        store._db.execute("delete from block where journal = '1-fake'")
    made = {"cut": bytes(body)[:-40], "other": bytes(body), "empty": b""}[damage]
    row = (tbl, journal, 1, 5, 5, 0, AT, AT, AT, made, bytes(digest) if damage != "other" else b"x" * 32)
    with store._transaction():
        store._many(store._sql.BLOCK_MADE, [row])
    with pytest.raises(DamagedBlock, match=f"the events of journal {journal} of table {tbl} are damaged"):
        list(store.rows("messages", None, None))
    found = [each.text for each in Audit(store).run(whole=True) if each]
    assert found
    assert f"the events of journal {journal} of table {tbl} are damaged" in found[0]
