"""A real table and a real ingest whose store has no room, or hangs: it is said, nothing is lost, and it goes on."""

import signal
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import pytest

from firmware_bridge.config.findings import Finding
from firmware_bridge.floor.check_condition import findings
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.ingesting import Ingest
from tests.floor.test_kills import play, whole
from tests.kit import broker as real
from tests.kit.daemon_table import DaemonTable

brokers = real.brokers  # fixture

ROOM: Final = 16
"""MiB of the disk."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    path = tmp_path / "disk"
    path.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={ROOM}m", "none", path], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no disk can be made here: {made.stderr}")
    yield path
    subprocess.run(["umount", "--lazy", path], check=True)


@pytest.fixture
def floor(tmp_path: Path, brokers: Any) -> Iterator[Any]:
    parts: list[Any] = []

    def make(store: Path) -> tuple[DaemonTable, Ingest]:
        broker = brokers(persistence=True)
        made = DaemonTable(tmp_path, broker.port), Ingest(tmp_path, broker.port, store=f'path = "{store}"')
        parts.append(made)
        made[1].start()
        made[0].start()
        return made

    yield make
    for daemon, ingest in parts:
        ingest.end()
        daemon.close()


def found(path: Path, later_s: float = 0.0) -> dict[str, Finding]:
    with closing(SqliteStore(path, make=False)) as store:
        return {each.name: each for each in findings(store, time.time() + later_s)}


def test_a_full_disk_is_reported_and_play_waits_for_room(disk: Path, floor: Any) -> None:
    path = disk / "floor.db"
    daemon, ingest = floor(path)
    play(daemon, 3)
    whole(daemon, ingest)
    daemon.until(lambda: found(path)["ingest"].level == "OK")
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while file.write(bytes(4096)):
                pass
        except OSError:
            pass
    while "database or disk is full" not in ingest.log:
        play(daemon, 1)
    now = found(path)
    assert now["disk"].level == "FAIL"
    assert " 0.0 MB are free" in now["disk"].text
    assert found(path, 300.0)["ingest"].level == "FAIL"
    ballast.unlink()
    whole(daemon, ingest)
    daemon.until(lambda: found(path)["ingest"].level == "OK")
    assert ingest.end(signal.SIGTERM) == 0
    stopped = found(path)["ingest"]
    assert (stopped.level, stopped.text.partition(", and ")[2]) == ("FAIL", "receives nothing: it was ended")


def test_a_commit_that_hangs_is_reported_while_it_hangs(tmp_path: Path, floor: Any) -> None:
    path = tmp_path / "floor.db"
    daemon, ingest = floor(path)
    play(daemon, 3)
    whole(daemon, ingest)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("begin immediate")
        play(daemon, 1)
        daemon.until(lambda: "a commit has taken 5 s and is not done" in ingest.log)
        other.execute("rollback")
    daemon.until(lambda: "the store answers again" in ingest.log)
    whole(daemon, ingest)
