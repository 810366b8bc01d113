import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.floor.ledger import Progress
from firmware_bridge.floor.sqlite import SqliteStore
from firmware_bridge.floor.store import StoreError
from tests.floor.every_store import *  # noqa: F403  # the tests of every store
from tests.floor.every_store import KEY
from tests.floor.journals import event


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(tmp_path / "floor.db")
    yield made
    made.close()


def test_messages_are_never_changed_or_deleted(store: SqliteStore, tmp_path: Path) -> None:
    store.save([event(1)], [], [])
    with sqlite3.connect(tmp_path / "floor.db") as db:
        for statement in ("update message set seq = 2", "delete from message"):
            with pytest.raises(sqlite3.IntegrityError, match="never"):
                db.execute(statement)
    db.close()


def test_a_store_of_a_newer_version_is_left_alone(store: SqliteStore, tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "floor.db") as db:
        db.execute("pragma user_version = 99")
    db.close()
    with pytest.raises(StoreError, match="newer shoe-floor"):
        SqliteStore(tmp_path / "floor.db")


def test_a_file_that_is_no_store_is_named(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("Dear Sir or Madam, " * 100)
    with pytest.raises(StoreError, match="letter: file is not a database"):
        SqliteStore(tmp_path / "letter")


def test_a_backup_takes_the_place_of_the_store(store: SqliteStore, tmp_path: Path) -> None:
    store.save([event(1), event(2)], [], [Progress(KEY, 3, 2, 2)])
    store.backup(tmp_path / "backup.db")
    store.save([event(3)], [], [])
    store.backup(tmp_path / "backup.db")
    restored = SqliteStore(tmp_path / "backup.db")
    assert list(restored.rows("messages", None, None)) == list(store.rows("messages", None, None))
    assert restored.load(KEY).progress.whole == 2
    assert restored.faults() == []
    restored.close()
    assert sorted(path.name for path in tmp_path.iterdir() if "backup" in path.name) == ["backup.db"]


def test_a_backup_needs_a_place(store: SqliteStore, tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        store.backup(tmp_path / "nowhere" / "backup.db")
