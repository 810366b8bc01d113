"""A floor on NATS: real nodes, real tables over MQTT 3.1.1, a real ingest; the store has what the tables said."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware_bridge.client.testing import FakeTable, fake_table
from firmware_bridge.floor.sqlite import SqliteStore
from tests.floor.journals import Kept, kept
from tests.floor_whole import nats as real
from tests.floor_whole.nats import Cluster, needs_nats

pytestmark = needs_nats
clusters = real.clusters  # fixture

LIMIT_S = 120.0


class Floor:
    """`shoe-floor` with a cluster: its commands, and the ingest as a process to be started and killed."""

    def __init__(self, folder: Path, cluster: Cluster) -> None:
        self.path, self._config = folder / "floor.db", folder / "floor.toml"
        self._log = folder / "ingest.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._config.write_text(
            f"[mqtt]\nport = {cluster.nodes[0].mqtt}\n[nats]\nservers = {cluster.servers}\n"
            f"monitor = {[f'http://127.0.0.1:{node.http}' for node in cluster.nodes]}\n"
            f'[store]\npath = "{self.path}"\n[ingest]\nbatch = 50\n'
        )

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self._words(command), capture_output=True, text=True, timeout=LIMIT_S)

    def start(self) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(self._words("ingest"), stderr=log, env=os.environ)

    def end(self, number: signal.Signals = signal.SIGKILL) -> int:
        process, self._process = self._process, None
        if process is None:
            return 0
        process.send_signal(number)
        return process.wait(30.0)

    def kept(self) -> Kept:
        store = SqliteStore(self.path)
        try:
            return kept(store)
        finally:
            store.close()

    def counts(self) -> tuple[int, int, int]:
        store = SqliteStore(self.path)
        try:
            return store.count("conflicts"), store.count("quarantine"), store.count("gaps")
        finally:
            store.close()

    @property
    def log(self) -> str:
        return self._log.read_text()[-4000:] if self._log.exists() else ""

    def _words(self, command: str) -> list[str]:
        return [sys.executable, "-m", "firmware_bridge.floor", "--config", str(self._config), command]


@pytest.fixture
def floors(tmp_path: Path) -> Iterator[Callable[[Cluster], Floor]]:
    made: list[Floor] = []

    def make(cluster: Cluster) -> Floor:
        made.append(Floor(tmp_path, cluster))
        return made[-1]

    yield make
    for each in made:
        each.end()


def said(*tables: FakeTable) -> Kept:
    """Key -> bytes, as a store should have them."""
    from firmware_bridge.floor.message import row
    from tests.floor.journals import AT

    rows = [row(topic, each.table, payload, AT) for each in tables for topic, payload in each.sent]
    return {each[:5]: each.body.decode() for each in rows}


def whole(floor: Floor, *tables: FakeTable) -> None:
    """Wait until the store has what the tables said, and they were told; then nothing else is in it."""
    give_up = time.monotonic() + LIMIT_S
    wanted = said(*tables)
    while (found := floor.kept()) != wanted or floor.counts() != (0, 0, 0):
        missing = sorted(set(wanted) - set(found), key=str)
        assert time.monotonic() < give_up, f"{len(missing)} missing: {missing[:5]}; {floor.counts()}; {floor.log}"
        time.sleep(0.2)


def test_every_message_comes_once_and_the_table_is_told(
    clusters: Callable[..., Cluster], floors: Callable[[Cluster], Floor]
) -> None:
    cluster = clusters()
    floor = floors(cluster)
    told = floor.run("prepare")
    assert told.returncode == 0, told.stderr
    floor.start()
    with fake_table("T07", port=cluster.nodes[0].mqtt) as table:
        table.play(20, {3: "repeat", 5: "restart", 7: "gap", 9: "reorder", 11: "void", 13: "correct"})
        whole(floor, table)
        give_up = time.monotonic() + LIMIT_S
        while not table.stored or table.stored[-1].seq != 41:
            assert time.monotonic() < give_up, f"{table.stored[-3:]}, {floor.log}"
            time.sleep(0.05)
    assert floor.end(signal.SIGTERM) == 0, floor.log


def test_prepare_says_what_it_did_and_check_what_is_wrong(
    clusters: Callable[..., Cluster], floors: Callable[[Cluster], Floor]
) -> None:
    cluster = clusters(3)
    floor = floors(cluster)
    told = floor.run("check")
    assert told.returncode == 1
    assert "wrong  the consumer shoe-floor-ingest is not there; run shoe-floor prepare" in told.stdout
    assert "the consumer shoe-floor-ingest was made" in floor.run("prepare").stdout
    assert "the consumer shoe-floor-ingest is there already" in floor.run("prepare").stdout
    told = floor.run("check")
    assert told.returncode == 0, told.stdout + told.stderr
    assert "fine   the consumer shoe-floor-ingest: 0 messages wait, 0 are being stored" in told.stdout
    assert "3 copies, led by n" in told.stdout
    assert told.stdout.count("flushes each message to disk") == 3
    assert told.stdout.count("a cluster of 3, led by n") == 3
    cluster.nodes[2].kill()
    told = floor.run("check")
    assert told.returncode == 1
    assert f"wrong  {cluster.servers[2]}: " in told.stdout
