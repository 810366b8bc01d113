"""A server of PostgreSQL that is killed with -9 while an ingest writes into it, and comes back with what it had."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Final

from tests.floor.killed_floor import KilledFloor
from tests.floor.kills_record import end_left_behind
from tests.floor_whole.cluster import Cluster, programs
from tests.kit.broker import free_port

DATABASE: Final = "floor"


class KeptCluster(Cluster):
    """A cluster that outlives a run: its directory is written down in a file."""

    def __init__(self, note: Path) -> None:
        if not note.exists():
            super().__init__()
            self.start()
            self.sql(f"create database {DATABASE}")
            note.write_text(str(self.directory))
            self.stop()
            return
        found = programs()
        assert found is not None
        self.programs, self.port, self._settings, self._process = found, free_port(), (), None
        self.directory = Path(note.read_text())
        end_left_behind(self.directory)

    def kill(self, *, whole: bool) -> None:
        """Kill the postmaster; whole: and each process that works for it, before any of them can notice."""
        process = self._process
        workers = _children(process.pid) if process and whole else []
        for each in [process.pid] if process else [], workers:
            for number in each:
                with suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
        self.stop(signal.SIGKILL)


class Postgres:
    """The database of a `KilledFloor`. Half of the kills take the postmaster alone, half all its processes."""

    def __init__(self, folder: Path) -> None:
        self._cluster = KeptCluster(folder / "cluster")
        self.lines = f'url = "{self._cluster.url(DATABASE)}"'

    def start(self, floor: KilledFloor) -> None:
        """Start it; it recovers by itself."""
        self._cluster.start()

    def kill(self, floor: KilledFloor) -> None:
        """Kill it with -9."""
        whole = floor.random.random() < 0.5
        floor.done["postmasters killed with all their processes"] += whole
        self._cluster.kill(whole=whole)

    def close(self) -> None:
        """Stop it; its directory stays for the next run."""
        self._cluster.stop()

    def remove(self) -> None:
        """Delete all that it kept."""
        self._cluster.remove()


def _children(process: int) -> list[int]:
    found = Path(f"/proc/{process}/task").glob("*/children")
    return [int(each) for path in found for each in path.read_text().split()]
