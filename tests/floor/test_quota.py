"""What a table's login may fill of the store with what nothing verifies (finding S7)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.client.testing import FakeTable
from firmware_bridge.floor.cli import main
from firmware_bridge.floor.record import quota
from firmware_bridge.floor.record.message import Row, Unread
from firmware_bridge.floor.record.quota import COUNT, KEPT, SIZE, Quarantine, Quota, excerpt
from firmware_bridge.floor.record.state import Changes
from firmware_bridge.floor.source import LARGEST, Delivery, delivery
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.floor.verified import waiting
from firmware_bridge.floor.verified.records import Limits
from firmware_bridge.floor.verified.waiting import Waiting
from tests.floor.house import House


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path / "floor.db", {"T07": Limits(pending_mb=1), "T08": Limits(pending_mb=1)})
    yield made
    made.store.close()


def bodies(house: House) -> list[bytes]:
    return [bytes(each[0]) for each in house.store._db.execute("select body from quarantine")]


def waiting_bytes(house: House) -> int:
    return int(house.store._db.execute("select coalesce(sum(length(body)), 0) from pending").fetchone()[0])


# --------------------------------------------------------------------------------------------------- the quarantine


def test_a_message_longer_than_any_of_a_table_is_cut_at_the_source(house: House) -> None:
    body = os.urandom(950_000)
    house.ingest.save([delivery("shoe/T08/event", body, (1, 2), retained=True)])
    ((kept), (reason)) = (bodies(house)[0], next(house.store.rows("quarantine", None, None))[2])
    assert kept == excerpt(body)
    assert kept[:KEPT] == body[:KEPT]
    assert f"950000 bytes, SHA-256 {sha256(body).hexdigest()}".encode() in kept
    assert "longer than 65536 bytes, cut: 950000 bytes" in str(reason)
    assert delivery("t", b"x" * LARGEST) == Delivery("t", b"x" * LARGEST)


def test_a_message_that_was_cut_is_none_even_if_what_is_left_is_one(house: House) -> None:
    table = FakeTable(lambda *_: None, "T08")
    table.play(1)
    house.ingest.save([delivery("shoe/T08/event", table.sent[-3][1].ljust(LARGEST + 1))])
    assert house.store.count("messages") == 0
    assert house.store.count("quarantine") == 1


def test_s7_forty_messages_of_950_kb_leave_less_than_a_megabyte(house: House) -> None:
    for _ in range(40):
        house.ingest.save([delivery("shoe/T08/event", os.urandom(950_000))])
    assert house.store.count("quarantine") == 40
    assert house.path.stat().st_size + house.path.with_name("floor.db-wal").stat().st_size < 2_000_000


def test_beyond_the_quota_of_an_hour_a_body_is_cut_then_counted_and_the_next_hour_is_another() -> None:
    now = [3600.0]
    quarantine = Quarantine(lambda: now[0])

    def came(count: int, size: int, table: str = "T08") -> list[int]:
        unread = Unread("shoe/T08/event", "", "junk", bytes(size))
        return [len(each.body) if (each := quarantine.kept(table, unread)) else 0 for _ in range(count)]

    whole = SIZE // 60_000
    assert came(whole, 60_000) == [60_000] * whole
    assert all(KEPT < size < KEPT + 200 for size in came(COUNT - whole, 60_000))
    assert came(3, 60_000) == [0, 0, 0]
    ((table, kind, _, _, text),) = quarantine.floods.values()
    assert (table, kind) == ("T08", "flood")
    assert text.startswith(f"{COUNT + 3} messages with {(COUNT + 3) * 60_000} bytes came in this hour")
    assert came(1, 60_000, "T07") == [60_000]
    now[0] += 3600
    assert came(1, 60_000) == [60_000]


def test_names_without_end_share_one_quota(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(quota, "TABLES", 3)
    made = Quota(2, 100, lambda: 0.0)
    assert [made.allow(f"T{number}", 1) for number in range(6)] == ["whole"] * 5 + ["no"]
    assert len(made._used) == 4


def test_a_flood_is_an_incident_within_20_s_and_its_count_goes_up(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware_bridge.floor.record.quota.COUNT", 10)
    house.restart()
    counts = []
    for _ in range(2):
        house.send(*[("shoe/T08/event", b"junk %d" % number) for number in range(50)])
        house.wait(20)
        (found,) = house.store.incidents()
        assert found[:2] == ("T08", "flood")
        counts.append(int(found.text.split()[0]))
    assert counts == [50, 100]
    assert house.store.count("quarantine") == 10


def test_expire_deletes_old_quarantine_and_nothing_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, config = tmp_path / "floor.db", tmp_path / "floor.toml"
    store = SqliteStore(path)
    old, new = "2020-01-01T00:00:00.000Z", "2999-01-01T00:00:00.000Z"
    store.save([], [Unread("t", old, "r", b"a"), Unread("t", old, "r", b"b"), Unread("t", new, "r", b"c")], [])
    store.close()

    def expired(keys: str, *words: str) -> str:
        config.write_text(f'[store]\npath = "{path}"\n{keys}\n')
        assert main(["--config", str(config), "expire", *words]) == 0
        return capsys.readouterr().out

    assert "none of [store] keep_years, keep_event_years and quarantine_days is set" in expired("")
    assert expired("quarantine_days = 90", "--dry-run").startswith("would be deleted: 2 messages in quarantine")
    assert expired("quarantine_days = 90").startswith("deleted: 2 messages in quarantine for more than 90 days")
    assert expired("quarantine_days = 90").startswith("deleted: 0 messages")
    store = SqliteStore(path)
    assert store.count("quarantine") == 1
    store.close()


# ------------------------------------------------------------------------------------ what waits, and what is forged


def entries(count: int, table: str = "T07") -> list[tuple[str, bytes]]:
    """Messages of a table with the same key as the real one that signs nothing any more."""
    twin = FakeTable(lambda *_: None, table)
    twin.play(1)
    twin._signer = None
    begun = len(twin.sent)
    for _ in range(count):
        twin.round()
    return [(f"shoe/{table}/{topic}", payload) for topic, payload in twin.sent[begun:]]


def test_entries_that_are_forged_onto_a_chain_have_a_room_and_play_goes_on(house: House) -> None:
    table = house.table("T07")
    table.play(1)
    house.enrol(table)
    table.status()
    house.send(*((f"shoe/T07/{topic}", payload) for topic, payload in table.sent))
    house.wait(30)
    assert house.proofs() == ["signed"]
    forged = entries(900)
    assert sum(len(body) for _, body in forged) > 1_000_000
    house.send(*forged)
    house.wait(20)
    assert "flood" in house.kinds()
    assert waiting_bytes(house) <= 1_100_000
    said = house.stored()["seq"]
    assert said < msgspec.json.decode(forged[-1][1])["seq"]
    table.play(3)
    house.wait(30)
    assert house.proofs() == ["signed"] * 4
    assert [each["round"] for each in house.rounds()] == [1, 2, 3, 4]
    assert house.rewritten() == []


def row(number: int, size: int = 10) -> Row:
    return Row(
        "event",
        "T07",
        "1-a",
        number,
        1,
        1,
        1,
        "",
        "",
        None,
        None,
        None,
        None,
        None,
        None,
        b"%09d" % number + bytes(size - 9),
    )


def test_what_gives_way_is_not_written_without_end() -> None:
    now, dropped = [0.0], list[Row]()
    made = Waiting((), 100, lambda row: row, dropped.append, lambda: now[0])
    written = 0
    for number in range(1_000):
        changes = Changes()
        made.add(row(number), changes)
        written += len(changes.pending)
    assert written <= 25
    assert len(dropped) <= 15
    now[0] += 3600
    changes = Changes()
    made.add(row(5_000), changes)
    assert len(changes.pending) == 1


def test_the_count_of_what_waits_is_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "MOST", 5)
    made = Waiting((), 10**9, lambda row: row, lambda row: None)
    changes = Changes()
    assert [made.add(row(number), changes) for number in range(7)] == [True] * 5 + [False] * 2
    assert [made.chain([row(number)], changes) for number in range(10, 17)] == [True] * 5 + [False] * 2
    assert made.is_over(row(16))
    assert not made.is_over(row(10))
    made.settle(row(10), changes)
    assert made.chain([row(16)], changes)
    assert not made.is_over(row(16))
