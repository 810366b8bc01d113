"""A real table, broker and ingest with a server of PostgreSQL that fails in many ways: nothing is lost or twice."""

import os
import random
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.floor.record.message import Key, Row, Unread
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.record.state import Changes, Log
from firmware_bridge.floor.store import Store
from firmware_bridge.floor.store.closings import Closing
from firmware_bridge.floor.store.cosigned import Witnessed
from firmware_bridge.floor.store.errors import StoreError
from tests.floor.every_store import KEY
from tests.floor.ingesting import Ingest
from tests.floor.journals import AT, Kept, event, kept
from tests.floor.test_kills import play, whole
from tests.floor_whole.cluster import Cluster, missing
from tests.floor_whole.pages import until
from tests.kit import broker as real
from tests.kit.daemon_table import DaemonTable
from tests.kit.patience import HANG_S

pytestmark = pytest.mark.skipif(missing() is not None, reason=str(missing()))

brokers = real.brokers  # fixture

WAITS = "select count(*) > 0 from pg_locks where not granted"
"""Whether a transaction waits for another one; `pg_stat_activity` stays as it was in a transaction."""


class PostgresIngest(Ingest):
    """`shoe-floor ingest` into a database."""

    def __init__(self, folder: Path, port: int, url: str) -> None:
        super().__init__(folder, port)
        self._url = url
        (folder / "floor.toml").write_text(f'[mqtt]\nport = {port}\n[store]\nurl = "{url}"\n[ingest]\nbatch = 7\n')

    def kept(self) -> Kept:
        return self._asked(kept, {})

    def counts(self) -> tuple[int, int, int]:
        def count(store: Store) -> tuple[int, int, int]:
            return store.count("conflicts"), store.count("quarantine"), store.count("gaps")

        return self._asked(count, (-1, -1, -1))

    def _asked(self, question: Callable[[Store], Any], away: Any) -> Any:
        try:
            store = opened(self._url)
            try:
                return question(store)
            finally:
                store.close()
        except StoreError:
            return away


def opened(url: str) -> Store:
    from firmware_bridge.floor.store.postgres import PostgresStore

    return PostgresStore(url)


@pytest.fixture
def own() -> Iterator[Callable[..., Cluster]]:
    """Makes servers of a test's own, to be killed."""
    made: list[Cluster] = []

    def make(*settings: str, of: Cluster | None = None) -> Cluster:
        made.append(Cluster(*settings, of=of))
        made[-1].start()
        return made[-1]

    yield make
    for each in made:
        each.remove()


@pytest.fixture
def floor(tmp_path: Path, brokers: Any) -> Iterator[Callable[[str], tuple[DaemonTable, PostgresIngest]]]:
    parts: list[tuple[DaemonTable, PostgresIngest]] = []

    def make(url: str) -> tuple[DaemonTable, PostgresIngest]:
        broker = brokers(persistence=True)
        parts.append((DaemonTable(tmp_path, broker.port), PostgresIngest(tmp_path, broker.port, url)))
        for each in reversed(parts[-1]):
            each.start()
        return parts[-1]

    yield make
    for daemon, ingest in parts:
        ingest.end()
        daemon.close()


def test_kills_of_server_and_ingest_lose_nothing(own: Any, floor: Any) -> None:
    server = own()
    daemon, ingest = floor(server.url("postgres"))
    for kill in ("server", "ingest", "both", "server"):
        play(daemon, 2)
        if kill in ("server", "both"):
            server.stop(signal.SIGKILL)
        if kill in ("ingest", "both"):
            ingest.end()
        play(daemon, 1)
        if kill in ("server", "both"):
            server.start()
        if kill in ("ingest", "both"):
            ingest.start()
    whole(daemon, ingest)
    server.stop(signal.SIGKILL)  # while the ingest is connected
    play(daemon, 1)
    daemon.until(lambda: "ERROR PostgreSQL, database postgres" in ingest.log)
    server.start()
    whole(daemon, ingest)
    assert ingest.end(signal.SIGTERM) == 0


def test_a_failover_to_a_standby_that_commits_wait_for_loses_nothing(own: Any, floor: Any) -> None:
    first = own()
    second = own(of=first)
    first.sql("alter system set synchronous_standby_names = '*'")
    first.sql("select pg_reload_conf()")
    hosts, ports = f"{first.directory},{second.directory}", f"{first.port},{second.port}"
    daemon, ingest = floor(f"postgresql://postgres@/postgres?host={hosts}&port={ports}&target_session_attrs=read-write")
    play(daemon, 2)
    daemon.until(lambda: len(ingest.kept()) > 5)
    first.stop(signal.SIGKILL)
    play(daemon, 1)
    second.promote()
    play(daemon, 1)
    whole(daemon, ingest)


def test_a_server_that_hangs_is_reported_while_it_hangs(own: Any, floor: Any) -> None:
    server = own()
    url = server.url("postgres")
    daemon, ingest = floor(url)
    play(daemon, 3)
    whole(daemon, ingest)
    sessions = "select pid from pg_stat_activity where application_name = 'shoe-floor'"
    pids = [int(each) for each in server.sql(sessions).split()]
    assert pids
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    play(daemon, 1)
    daemon.until(lambda: "a commit has taken 5 s and is not done" in ingest.log)
    for pid in pids:
        os.kill(pid, signal.SIGCONT)
    daemon.until(lambda: "the store answers again" in ingest.log)
    whole(daemon, ingest)

    def beat() -> tuple[str, str, int]:
        with closing(opened(url)) as store:
            [heartbeat] = store.heartbeats()
            return heartbeat.name, heartbeat.fault, heartbeat.backlog

    daemon.until(lambda: beat() == ("shoe-floor-ingest", "", 0))  # the beat may be of the moment before


def test_a_standby_is_named_until_it_is_the_primary(own: Any, floor: Any) -> None:
    server = own()
    daemon, ingest = floor(server.url("postgres"))
    play(daemon, 2)
    daemon.until(lambda: len(ingest.kept()) > 5)
    server.sql("alter system set default_transaction_read_only = on")
    server.sql("select pg_reload_conf()")
    play(daemon, 2)
    daemon.until(lambda: "this server is a standby" in ingest.log)
    server.sql("begin read write; alter database postgres set default_transaction_read_only = off; commit")
    whole(daemon, ingest)


@pytest.fixture
def store(cluster: Cluster, database: str) -> Iterator[Store]:
    made = opened(cluster.url(database))
    yield made
    made.close()


def test_a_lock_of_another_program_is_named(store: Store, cluster: Cluster, database: str) -> None:
    store._db.execute("set lock_timeout = '100ms'")  # of the engine
    with opened(cluster.url(database))._db.transaction() as other:
        other.connection.execute("lock table message")
        with pytest.raises(StoreError, match="lock timeout; another program locks the table"):
            store.save([event(1)], [], [])
    other.connection.close()
    store.save([event(1)], [], [])
    assert store.count("messages") == 1


@pytest.mark.parametrize(
    "close",
    [
        lambda store, by: store.close_gap(KEY, 0, by),
        lambda store, by: store.close_conflicts(KEY, 1, "", by),
        lambda store, by: store.close_quarantine("", "", by),
    ],
)
def test_what_two_people_close_at_once_is_closed_by_one(
    store: Store, cluster: Cluster, database: str, close: Callable[[Store, Closing], int]
) -> None:
    junk = Unread("shoe/T07/event", AT, "bad", b"x")
    store.save([event(1), event(1, kind="Other")], [junk], [Progress(KEY, 3, 1, 9)])
    other = opened(cluster.url(database))
    with ThreadPoolExecutor(1) as thread:
        with store._transaction() as first:
            assert close(store, Closing("ANNA", "first", AT)) > 0
            second = thread.submit(close, other, Closing("BO", "second", AT))
            until(lambda: second.done() or first.execute(WAITS).fetchone() == (True,))
        assert second.result(HANG_S) == 0
    other.close()
    assert list(store.closed_counts().values()) == [1]


def test_what_is_cosigned_is_kept_in_the_order_in_which_the_ingest_writes(
    store: Store, cluster: Cluster, database: str
) -> None:
    """A writer that waits for a table holds none behind it, so that the ingest and the witnesses cannot deadlock."""
    changes = Changes()
    for each in ("T01", "T02"):
        changes.logs[(each, each)] = Log(each, each, 1, "vkey", "3-5ad1", 1, 2, b"e" * 32, "3-5ad1", 2, "ab", "note")
    store.save([], [], [], changes)
    noted = {each: [Witnessed(each, 2, AT, AT, "note")] for each in ("T02", "T01")}
    lock = "select 1 from log where tbl = %s for update nowait"
    with ThreadPoolExecutor(1) as thread:
        with opened(cluster.url(database))._db.transaction() as ingest:
            ingest.connection.execute(lock, ["T01"])
            keeping = thread.submit(store.put_cosigned, [], noted)
            until(lambda: ingest.connection.execute(WAITS).fetchone() == (True,))
            ingest.connection.execute(lock, ["T02"])
        keeping.result(HANG_S)
    ingest.connection.close()
    assert [each.witnessed for each in store.logs()] == [2, 2]


def test_a_full_disk_is_named_and_nothing_of_the_batch_is_kept(own: Any) -> None:
    """The smallest full disk there is: a directory of 24 MB in memory that holds the tables."""
    server = own()
    space = server.directory / "space"
    space.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m,mode=0777", "none", str(space)])
    if mounted.returncode:
        pytest.skip("no disk of its own can be mounted here")
    try:
        (space / "tables").mkdir(mode=0o777)
        (space / "tables").chmod(0o777)
        subprocess.run(["chown", "postgres", str(space / "tables")], check=True)
        server.sql(f"create tablespace small location '{space}/tables'")
        server.sql("create database small tablespace small")
        store = opened(server.url("small"))
        full = [large(seq) for seq in range(1, 1_000)]
        with pytest.raises(StoreError, match=r"No space left|could not extend.*free space on the server's disk"):
            store.save(full, [], [])
        store.close()
        again = opened(server.url("small"))
        assert again.count("messages") == 0
        again.close()
        server.stop()
    finally:
        subprocess.run(["umount", "-l", str(space)], check=True)


def large(seq: int) -> Row:
    """A message that no compression makes small."""
    return event(seq)._replace(body=b'"' + random.Random(seq).randbytes(50_000).hex().encode() + b'"')


@pytest.mark.parametrize("name", ["1-ab\0", random.Random(1).randbytes(3_000).hex()])
def test_a_text_that_the_server_does_not_keep_is_named(store: Store, name: str) -> None:
    with pytest.raises(StoreError, match="cannot store a text of this batch"):
        store.save([event(1)], [], [Progress(Key("T07", name), 3, 1, 1)])


def test_a_server_that_is_cut_off_is_named(cluster: Cluster) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        with pytest.raises(StoreError, match="check that the server runs"):
            opened(f"postgresql://postgres@127.0.0.1:{port}/floor?connect_timeout=2")
    for url, words in (
        (cluster.url("nowhere"), "create it: createdb"),
        (cluster.loopback("postgres", "nobody"), "check the user"),
        (cluster.url("postgres", "nobody"), "check the user"),
        ("postgresql://user@host/floor?nonsense", "cannot be read"),
    ):
        with pytest.raises(StoreError, match=words):
            opened(url)
