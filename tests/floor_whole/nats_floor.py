"""`shoe-floor` on a NATS cluster as a process, tables that play, and what the store has to have in the end."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread

import pytest

from firmware_bridge.client.testing import FakeTable
from firmware_bridge.floor.record.message import row
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.journals import AT, Kept, kept
from tests.floor_whole.nats import Cluster
from tests.kit import patience
from tests.kit.patience import Patience, ended
from tests.kit.process import python, ran

LIMIT_S = 360.0


class Floor:
    """`shoe-floor` with a cluster: its commands, and the ingest as a process to be started and killed."""

    def __init__(self, folder: Path, cluster: Cluster, *, nats: str = "", mqtt: str = "") -> None:
        self.path, self.config = folder / "floor.db", folder / "floor.toml"
        self._log = folder / "ingest.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.config.write_text(
            f"[mqtt]\nport = {cluster.nodes[0].mqtt}\n{mqtt}\n[nats]\nservers = {cluster.servers}\n"
            f"monitor = {[f'http://127.0.0.1:{node.http}' for node in cluster.nodes]}\n{nats}\n"
            f'[store]\npath = "{self.path}"\n[ingest]\nbatch = 50\n'
        )

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Run a command to its end."""
        return ran(*self._words(command), seconds=LIMIT_S)

    def prepare(self) -> None:
        """Make the consumer."""
        done = self.run("prepare")
        assert done.returncode == 0, done.stderr

    def start(self) -> None:
        """Start the ingest."""
        with self._log.open("ab") as log:
            self._process = python(*self._words("ingest"), stderr=log)

    def end(self, number: signal.Signals = signal.SIGKILL) -> int:
        """End the ingest; its exit code."""
        process, self._process = self._process, None
        if process is None:
            return 0
        process.send_signal(number)
        return ended(process)

    def kept(self) -> Kept:
        """Key -> bytes, as the store has them."""
        store = SqliteStore(self.path)
        try:
            return kept(store)
        finally:
            store.close()

    def counts(self) -> tuple[int, int, int]:
        """How many conflicts, messages in quarantine and gaps the store has."""
        store = SqliteStore(self.path)
        try:
            return store.count("conflicts"), store.count("quarantine"), store.count("gaps")
        finally:
            store.close()

    @property
    def log(self) -> str:
        """How the log of the ingest ends."""
        return self._log.read_text()[-4000:] if self._log.exists() else ""

    def whole(self, *tables: FakeTable) -> None:
        """Wait until the store has what the tables said, byte for byte; then nothing else is in it."""
        self.until_kept(lambda: {key: body for table in tables for key, body in said(table).items()})

    def until_kept(self, said_now: Callable[[], Kept]) -> None:
        """Wait until the store has what was said by now, and nothing else: answers to orders come to it meanwhile."""
        patience = Patience(LIMIT_S)
        while (found := self.kept()) != (wanted := said_now()) or self.counts() != (0, 0, 0):
            missing = sorted(set(wanted) - set(found), key=str)
            assert not patience.is_over, f"{len(missing)} missing: {missing[:5]}; {self.counts()}; {self.log}"
            time.sleep(0.2)

    def _words(self, command: str) -> list[str]:
        return ["-m", "firmware_bridge.floor", "--config", str(self.config), command]


def said(table: FakeTable) -> Kept:
    """Key -> bytes, as a store should have what a table said."""
    rows = [row(topic, table.table, payload, AT) for topic, payload in table.sent]
    return {each[:5]: each.body.decode() for each in rows}


def until(condition: Callable[[], object], story: Callable[[], str] = lambda: "") -> None:
    """Wait until something is so."""
    patience.until(condition, LIMIT_S, story=story, look_s=0.05)


@contextmanager
def playing(*tables: FakeTable) -> Iterator[None]:
    """Let tables play meanwhile, some ten rounds a second each."""
    end = Event()

    def play(table: FakeTable) -> None:
        while not end.wait(0.1):
            table.round()
        table.status()

    threads = [Thread(target=play, args=(table,)) for table in tables]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        end.set()
        for thread in threads:
            thread.join()


@pytest.fixture
def floors(tmp_path: Path) -> Iterator[Callable[..., Floor]]:
    """Make floors with the options of `Floor`; their ingests are ended after the test."""
    made: list[Floor] = []

    def make(cluster: Cluster, **options: str) -> Floor:
        made.append(Floor(tmp_path, cluster, **options))
        return made[-1]

    yield make
    for each in made:
        each.end()
