"""The database of a floor, which is killed in the middle of its work: what one can do, and a file of SQLite."""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from tests.floor.killed_floor import KilledFloor

BUSY_S: Final = 20.0
"""How long a victim is waited for until it works."""


class Database(Protocol):
    """What the ingest keeps its store in. lines: the keys of `[store]`."""

    lines: str

    def start(self, floor: KilledFloor) -> None:
        """Start it, and what dies with it."""

    def kill(self, floor: KilledFloor) -> None:
        """Kill it in the middle of something."""

    def close(self) -> None:
        """End it; what it keeps stays."""

    def remove(self) -> None:
        """Delete what it keeps outside the floor's folder."""


class SqliteFile:
    """The ingest's own file: to kill the database is to kill the ingest while it has a transaction open."""

    lines = ""
    _WRITE_LOCK: Final = 120
    """The byte of the -shm file that a writer has locked (SQLite's file format, WAL-index locks)."""

    def __init__(self, folder: Path) -> None:
        self._locks = folder / "floor.db-shm"

    def start(self, floor: KilledFloor) -> None:
        """It lives in the ingest."""
        floor.revive("ingest")

    def kill(self, floor: KilledFloor) -> None:
        """Wait for a transaction, and kill the ingest in it."""
        floor.revive("broker")
        floor.revive("daemon")
        process = floor.ingest.process
        assert process
        caught = floor.spin(lambda: self._writer() == process.pid, BUSY_S)
        process.kill()
        floor.done["ingests killed in a transaction"] += caught
        floor.kill("ingest")

    def close(self) -> None:
        """Nothing of it runs when the ingest does not."""

    def remove(self) -> None:
        """Its file is in the floor's folder."""

    def _writer(self) -> int:
        """The process that has a transaction open, 0 for none."""
        asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, self._WRITE_LOCK, 1, 0)
        try:
            with self._locks.open("r+b") as locks:
                kind, _, _, _, process = struct.unpack("hhqqi4x", fcntl.fcntl(locks, fcntl.F_GETLK, asked))
        except FileNotFoundError:
            return 0
        return 0 if kind == fcntl.F_UNLCK else int(process)
