"""The reader of a store in PostgreSQL, and the exporter that counts with it, while the server fails."""

import signal
import threading
from pathlib import Path

import pytest

from firmware_bridge.floor.config import FloorConfig, parse
from firmware_bridge.floor.store import Counts, Store
from firmware_bridge.floor.store.errors import StoreError
from tests.floor.every_past import *  # noqa: F403  # what every reader says of a table's past
from tests.floor.every_reader import *  # noqa: F403  # the tests of every reader
from tests.floor.every_reader import counted, opened
from tests.floor.journals import event
from tests.floor.tables import alive
from tests.floor_whole.cluster import Cluster
from tests.floor_whole.exported import Exported
from tests.floor_whole.pages import publish
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import HANG_S

psycopg = pytest.importorskip("psycopg")
broker, brokers = real.broker, real.brokers  # fixtures


@pytest.fixture
def config(cluster: Cluster, database: str) -> FloorConfig:
    return parse({"store": {"url": cluster.url(database)}})


def test_a_reader_reads_as_whoever_may_only_read(prepared: Cluster) -> None:
    as_reader = parse({"store": {"url": prepared.url("floor", "floor_reader")}})
    reader = opened(as_reader)
    assert reader.counts() == Counts(0, 0, 0, 0)
    reader.close()


def test_a_reader_only_reads_and_says_so_where_there_are_no_tables(config: FloorConfig) -> None:
    reader = opened(config)
    with pytest.raises(StoreError, match="the tables do not exist yet: start the ingest"):
        reader.counts()
    with (
        pytest.raises(StoreError, match="cannot execute CREATE TABLE in a read-only transaction"),
        reader._reading() as db,  # the only way to write with it
    ):
        db.execute("create table mine (x int)")
    reader.close()


@pytest.mark.parametrize("mode", ["row exclusive", "share row exclusive", "exclusive"])
def test_a_reader_waits_for_no_ingest_and_no_expire(
    store: Store, config: FloorConfig, cluster: Cluster, database: str, mode: str
) -> None:
    reader = opened(config)
    with psycopg.connect(cluster.url(database)) as other:
        other.execute(f"lock table message, conflict, quarantine, progress in {mode} mode")
        assert reader.counts() == Counts(0, 0, 0, 0)
    reader.close()


def test_a_reader_gives_up_where_the_tables_are_changed(
    store: Store, config: FloorConfig, cluster: Cluster, database: str
) -> None:
    reader = opened(config)
    with psycopg.connect(cluster.url(database)) as other:
        other.execute("lock table quarantine in access exclusive mode")
        with pytest.raises(StoreError, match="another program locks the table"):
            reader.counts()
    assert reader.counts() == Counts(0, 0, 0, 0)
    reader.close()


def test_the_ingest_waits_for_no_reader_that_is_slow(store: Store, config: FloorConfig) -> None:
    reader, asks, ends = opened(config), threading.Event(), threading.Event()

    def read() -> None:
        with reader._reading() as db:  # held open longer than any question
            db.execute("select count(*) from message").fetchone()
            asks.set()
            ends.wait(HANG_S)

    slow = threading.Thread(target=read)
    slow.start()
    assert asks.wait(HANG_S)
    assert store.save([event(1)], [], []).fresh == 1
    ends.set()
    slow.join()
    reader.close()


def test_a_quarantine_of_many_is_counted_by_the_server(
    store: Store, config: FloorConfig, cluster: Cluster, database: str
) -> None:
    cluster.sql("insert into quarantine select 'shoe/x', '', n, '', '' from generate_series(1, 10050) n", database)
    assert counted(config, Counts(0, 0, 10_050, 0, 0, 0, 10_000)) == Counts(0, 0, 10_050, 0, 0, 0, 10_000)


def test_the_exporter_says_that_the_server_is_gone_and_goes_on(mortal: Cluster, broker: Broker, tmp_path: Path) -> None:
    from firmware_bridge.floor.store.postgres import PostgresStore

    store = PostgresStore(mortal.url("postgres"))
    store.save([event(1), event(2)], [], [])
    store.close()
    publish(broker, alive("T01"))
    exported = Exported(tmp_path, broker.port, mortal.url("postgres")).start()
    try:
        exported.until(lambda: exported.values("shoe_floor_messages_total") == {"": 2})
        assert exported.values("shoe_floor_store_readable") == {"": 1}
        assert mortal._process is not None
        mortal._process.send_signal(signal.SIGSTOP)  # it hangs: whoever calls it waits
        assert exported.values("shoe_floor_store_readable") == {"": 0}
        mortal._process.send_signal(signal.SIGCONT)
        exported.until(lambda: exported.values("shoe_floor_store_readable") == {"": 1})
        mortal.stop()
        assert exported.values("shoe_floor_store_readable") == {"": 0}
        assert exported.values("shoe_floor_messages_total") == {}
        assert exported.values("shoe_state") == {'{table="T01",state="online"}': 1}
        assert "the store cannot be read: PostgreSQL: " in exported.log
        mortal.start()
        exported.until(lambda: exported.values("shoe_floor_store_readable") == {"": 1})
    finally:
        exported.end()
