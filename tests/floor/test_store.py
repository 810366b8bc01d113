import shutil
import sqlite3
from contextlib import closing
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.floor.record.names import Names
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.store import OtherFormat
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.sqlite import SQL, SqliteReader, SqliteStore
from tests.floor.every_answer import *  # noqa: F403  # reports that have a name
from tests.floor.every_block import *  # noqa: F403  # what every store does with blocks
from tests.floor.every_closed import *  # noqa: F403  # what people close, and what an ingest says of itself
from tests.floor.every_facts import *  # noqa: F403  # what every store does with facts
from tests.floor.every_feed import *  # noqa: F403  # what every store does with its feed
from tests.floor.every_ingest import *  # noqa: F403  # the tests of every ingest
from tests.floor.every_query import *  # noqa: F403  # the queries of docs/facts.md
from tests.floor.every_store import *  # noqa: F403  # the tests of every store
from tests.floor.every_store import KEY, Engine, named
from tests.floor.journals import event
from tests.kit.trees import tree


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    path = tmp_path / "floor.db"

    def execute(statement: str) -> None:
        with closing(sqlite3.connect(path, isolation_level=None)) as db:
            db.execute(statement)

    return Engine(lambda: SqliteStore(path), execute, "pragma user_version = {}", "blob", lambda: tree(tmp_path))


def test_a_store_of_another_format_is_left_as_a_crash_left_it(engine: Engine, tmp_path: Path) -> None:
    """Its log is not read, for that would be to write it into the file."""
    engine.open().close()
    engine.execute("pragma user_version = 2")
    with closing(sqlite3.connect(tmp_path / "floor.db")) as crashed:
        crashed.execute("insert into quarantine values ('t', 'now', 'why', 'body', '')")
        crashed.commit()
        killed = tmp_path / "killed"
        killed.mkdir()
        for each in ("floor.db", "floor.db-wal"):
            shutil.copy(tmp_path / each, killed / each)
    before = tree(killed)
    for opens in (SqliteStore, partial(SqliteStore, make=False), SqliteReader):
        with pytest.raises(OtherFormat):
            opens(killed / "floor.db")
    assert tree(killed) == before


def test_a_store_that_another_process_makes_at_the_same_time_is_no_other_format(
    tmp_path: Path, mocker: MockerFixture
) -> None:
    path, look = tmp_path / "floor.db", SqliteStore._version
    looks = count()

    def look_slowly(store: SqliteStore) -> int:
        found = look(store)
        if next(looks) == 0:
            SqliteStore(path).close()
        return found

    mocker.patch.object(SqliteStore, "_version", look_slowly)
    SqliteStore(path).close()


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as db:
        db.execute("create table letter (text)")
    before = tree(tmp_path)
    with pytest.raises(OtherFormat, match=r"other.db is a store of format 0, but this"):
        SqliteStore(path)
    assert tree(tmp_path) == before


def test_no_byte_of_the_file_has_the_name_of_a_person(store: SqliteStore, tmp_path: Path) -> None:
    store.save([Names(b"k" * 32).row(named(1, "ANNA")), event(2)], [], [])
    files = [path.read_bytes() for path in tmp_path.iterdir()]
    assert any(b"3-5ad1" in each for each in files)
    assert not any(b"ANNA" in each for each in files)


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


@pytest.mark.parametrize("name", ["CLOCKS", "OPEN_WINDOWS", "WITNESSED_ROUNDS"])
def test_what_is_asked_of_records_reads_neither_all_messages_nor_all_leaves(store: SqliteStore, name: str) -> None:
    plan = [each[3] for each in store._db.execute(f"explain query plan {getattr(SQL, name).text}")]
    assert [each for each in plan if each.startswith("SCAN") and each != "SCAN g"] == []
    assert [each for each in plan if each.endswith("(topic=?)")] == []


def test_rows_of_facts_are_looked_up_in_an_index(store: SqliteStore) -> None:
    """A table of millions of rounds is not read through for each commit."""
    for statement, width in ((SQL.FACT_ROUNDS, 4), (SQL.FACT_DAYS, 5), (SQL.FACT_SLOTS, 2), (SQL.FACT_BETS, 3)):
        query, values = SQL.listed(statement, [("x",) * width] * 3)
        plan = " ".join(each[3] for each in store._db.execute(f"explain query plan {query}", values))
        assert "SCAN fact_" not in plan
        assert "SEARCH fact_" in plan
