"""What the exporter says of the store: its counts, and that it cannot be read, hangs, or wants a package."""

from __future__ import annotations

import sys
from pathlib import Path
from threading import Event

import pytest

from firmware_bridge.floor.config import parse
from firmware_bridge.floor.store import Counts, Reader, StoreError
from firmware_bridge.floor.store.open import Asked
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.metered import STATUS, Floor


def test_the_store_is_counted_beside_its_writer_and_never_made(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "floor.db"
    asked = Asked(parse({"store": {"path": str(path)}}))

    def counts() -> Counts | None:
        return asked(lambda reader: reader.counts())

    floor = Floor(counts)
    assert counts() is None
    assert floor.value("shoe_floor_store_readable") == []
    assert not path.exists()
    SqliteStore(path).close()
    assert counts() == Counts(0, 0, 0, 0)
    assert floor.value("shoe_floor_messages_total") == ["shoe_floor_messages_total 0"]
    path.write_bytes(b"the disk is broken " * 1000)
    with pytest.raises(StoreError):
        counts()
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

    def counts(reader: Reader) -> Counts:
        hangs.wait()
        return reader.counts()

    floor = Floor(lambda: asked(counts))
    for _ in range(2):  # the first still hangs when the second asks
        assert floor.value("shoe_floor_store_readable") == ["shoe_floor_store_readable 0"]
    hangs.set()


def test_a_store_whose_package_is_missing_is_not_readable(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    asked = Asked(parse({"store": {"url": "postgresql://x@127.0.0.1/x"}}))
    floor = Floor(lambda: asked(lambda reader: reader.counts()))
    floor.say("status", **STATUS)
    assert floor.value("shoe_floor_store_readable") == ["shoe_floor_store_readable 0"]
    assert floor.value("shoe_state") == ['shoe_state{table="T07",state="online"} 1']
    assert "pip install '.[postgres]'" in caplog.text
