"""What the exporter says of the store: counts, records, and that it cannot be read, hangs, or wants a package."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Event

import pytest

from firmware_bridge.floor.config import parse
from firmware_bridge.floor.metrics.exporter import Stored, stored
from firmware_bridge.floor.record.state import Changes, Log
from firmware_bridge.floor.store import Counts, Reader
from firmware_bridge.floor.store.cosigned import Cosignature, Witnessed
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.open import Asked
from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.record.verify import COSIGNATURE, key_of
from tests.floor.metered import AT, STATUS, Floor


def test_the_store_is_counted_beside_its_writer_and_never_made(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "floor.db"
    asked = Asked(parse({"store": {"path": str(path)}}))

    def found() -> Stored | None:
        return asked(lambda reader: stored(reader, [], 0.0))

    floor = Floor(found)
    assert found() is None
    assert floor.value("shoe_floor_store_readable") == []
    assert not path.exists()
    SqliteStore(path).close()
    made = found()
    assert made
    assert made.room
    assert made == Stored(Counts(0, 0, 0, 0), [], enrolled=[], beats=[], room=made.room)
    assert floor.value("shoe_floor_messages_total") == ["shoe_floor_messages_total 0"]
    path.write_bytes(b"the disk is broken " * 1000)
    with pytest.raises(StoreError):
        found()
    for _ in range(2):
        assert floor.value("shoe_floor_store_readable") == ["shoe_floor_store_readable 0"]
        assert floor.value("shoe_floor_messages_total") == []
    assert caplog.text.count("floor.db: file is not a database; allow the user of this program to read it") == 1
    path.unlink()
    SqliteStore(path).close()
    caplog.set_level("INFO")
    assert floor.value("shoe_floor_store_readable") == ["shoe_floor_store_readable 1"]
    assert "the store can be read again" in caplog.text


def test_a_store_that_hangs_holds_up_no_scrape() -> None:
    hangs, asked = Event(), Asked(parse({"store": {"path": "/dev/null"}}), limit_s=0.05)

    def found(reader: Reader) -> Stored:
        hangs.wait()
        return stored(reader, [], 0.0)

    floor = Floor(lambda: asked(found))
    for _ in range(2):  # the first still hangs when the second asks
        assert floor.value("shoe_floor_store_readable") == ["shoe_floor_store_readable 0"]
    hangs.set()


def test_a_store_whose_package_is_missing_is_not_readable(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    asked = Asked(parse({"store": {"url": "postgresql://x@127.0.0.1/x"}}))
    floor = Floor(lambda: asked(lambda reader: stored(reader, [], 0.0)))
    floor.say("status", **STATUS)
    assert floor.value("shoe_floor_store_readable") == ["shoe_floor_store_readable 0"]
    assert floor.value("shoe_state") == ['shoe_state{table="T07",state="online"} 1']
    assert "pip install '.[postgres]'" in caplog.text


WITNESSES = [key_of(f"w{n}.example/1", COSIGNATURE, bytes([n]) * 32) for n in (1, 2, 3)]


def recorded(store: SqliteStore, *, witnessed: bool) -> None:
    """A record of 5 entries of table T07, of which witnesses cosigned 3, and one of T08 that none has seen."""
    made = Changes()
    for table, size in (("T07", 5), ("T08", 2)):
        made.logs[table, table] = Log(table, table, 1, f"{table}+key", "3-5ad1", 1, size)
    store.save([], [], [], made)
    if witnessed:
        lines = [Cosignature("T07", WITNESSES[n].vkey, 3, 1_000 + n, "") for n in (0, 1)]
        older = Cosignature("T08", WITNESSES[1].vkey, 2, 900, "")
        store.put_cosigned([*lines, older], {"T07": [Witnessed("T07", 3, AT, AT, "")]})


def test_a_record_has_a_size_and_a_witnessed_size_and_each_witness_one_age(tmp_path: Path) -> None:
    path = tmp_path / "floor.db"
    store = SqliteStore(path)
    recorded(store, witnessed=True)
    store.close()
    asked = Asked(parse({"store": {"path": str(path)}}))
    floor = Floor(lambda: asked(lambda reader: stored(reader, WITNESSES, 1_038.0)))
    assert floor.value("shoe_record_size") == [
        'shoe_record_size{table="T07"} 5',
        'shoe_record_size{table="T08"} 2',
    ]
    assert floor.value("shoe_record_witnessed_size") == [
        'shoe_record_witnessed_size{table="T07"} 3',
        'shoe_record_witnessed_size{table="T08"} 0',
    ]
    assert floor.value("shoe_witness_age_seconds") == [
        'shoe_witness_age_seconds{witness="w1.example/1"} 38.0',
        'shoe_witness_age_seconds{witness="w2.example/1"} 37.0',
    ]


def test_without_a_configured_witness_nothing_is_said_of_witnesses(tmp_path: Path) -> None:
    path = tmp_path / "floor.db"
    store = SqliteStore(path)
    recorded(store, witnessed=False)
    store.close()
    asked = Asked(parse({"store": {"path": str(path)}}))
    floor = Floor(lambda: asked(lambda reader: stored(reader, [], 1_038.0)))
    assert len(floor.value("shoe_record_size")) == 2
    assert floor.value("shoe_record_witnessed_size") == floor.value("shoe_witness_age_seconds") == []
