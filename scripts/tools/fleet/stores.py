"""The stores of a fleet: a file of SQLite, or a PostgreSQL of its own."""

from __future__ import annotations

import asyncio
import os
import pwd
import shutil
import signal
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final, Protocol

from firmware_bridge.demo.broker import HOST
from scripts.tools.fleet.child import Child, FleetError
from scripts.tools.fleet.engines import answers, free_ports

LOCK_S: Final = 60.0
"""Longest wait for the file's lock."""


class Store(Protocol):
    """Where the ingest keeps messages. children: its processes. trouble: what `restart` does, in words."""

    children: list[Child]
    trouble: str

    async def start(self) -> None:
        """Make it ready."""

    def toml(self) -> str:
        """Return the section [store] of floor.toml."""

    async def restart(self, away_s: float, ingest: Child) -> None:
        """Let it fail for so long, and come back."""

    def close(self) -> None:
        """Remove what is outside of the fleet's folder."""


class Sqlite:
    """A file of SQLite; its fault is an ingest that is ended, and restarted while the file is locked."""

    trouble = "ingest ended and started, the file locked"

    def __init__(self, folder: Path) -> None:
        self.path, self.children = folder / "floor.db", list[Child]()

    async def start(self) -> None:
        """Do nothing: it needs no program."""

    def toml(self) -> str:
        """Return the section [store]."""
        return f'[store]\npath = "{self.path}"\n'

    async def restart(self, away_s: float, ingest: Child) -> None:
        """End the ingest, lock the file, start the ingest, and let the file go after a while."""
        await ingest.end(signal.SIGTERM)
        with closing(sqlite3.connect(self.path, timeout=LOCK_S, isolation_level=None)) as db:
            db.execute("begin exclusive")
            await ingest.start()
            await asyncio.sleep(away_s)
            db.execute("rollback")

    def close(self) -> None:
        """Do nothing: it leaves nothing outside."""


class Postgres:
    """An own PostgreSQL on the loopback; its fault is an immediate end, with recovery at the start."""

    trouble = "PostgreSQL ended at once (SIGQUIT), started again"

    def __init__(self, folder: Path) -> None:
        found = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: float(path.parent.name))
        if not found:
            raise FleetError("PostgreSQL is not installed", "sudo apt install postgresql")
        self._bin = found[-1]
        self._home = Path(tempfile.mkdtemp(prefix="fleet-postgres-"))
        [self._port] = free_ports(1)
        self._how: dict[str, Any] = {}
        if os.geteuid() == 0:  # it refuses root
            user = pwd.getpwnam("postgres")
            os.chown(self._home, user.pw_uid, user.pw_gid)
            self._how = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
        command = [str(self._bin / "postgres"), "-D", str(self._home / "data"), "-k", str(self._home)]
        command += ["-p", str(self._port), "-h", HOST, "-c", "unix_socket_permissions=0700"]
        self.children = [Child("postgres", command, folder / "postgres.log", cwd=self._home, **self._how)]

    async def start(self) -> None:
        """Make it, and a database in it."""
        made = [str(self._bin / "initdb"), "-D", str(self._home / "data"), "-U", "floor", "-A", "trust", "-E", "UTF8"]
        await asyncio.to_thread(self._run, [*made, "--locale=C"])
        await self._begin()
        at = ["-h", HOST, "-p", str(self._port), "-U", "floor"]
        await asyncio.to_thread(self._run, [str(self._bin / "createdb"), *at, "floor"])

    def toml(self) -> str:
        """Return the section [store]."""
        return f'[store]\nurl = "postgresql://floor@{HOST}:{self._port}/floor"\n'

    async def restart(self, away_s: float, ingest: Child) -> None:
        """End it at once, with every connection, and start it after a while."""
        await self.children[0].end(signal.SIGQUIT)
        await asyncio.sleep(away_s)
        await self._begin()

    def close(self) -> None:
        """Remove its files."""
        shutil.rmtree(self._home, ignore_errors=True)

    async def _begin(self) -> None:
        [server] = self.children
        await server.start()
        while not (answers(self._port) and self._is_ready()):
            if not server.is_running:
                await asyncio.sleep(1.0)  # of the one before something may still be there
                await server.start()
            await asyncio.sleep(0.1)

    def _is_ready(self) -> bool:
        asked = [str(self._bin / "pg_isready"), "-q", "-h", HOST, "-p", str(self._port)]
        return subprocess.run(asked, check=False).returncode == 0

    def _run(self, command: list[str]) -> None:
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=self._home, **self._how)
        if done.returncode:
            raise FleetError(f"{Path(command[0]).name}: {done.stderr.strip()}", "see its log")


STORES: Final[dict[str, Callable[[Path], Store]]] = {"sqlite": Sqlite, "postgres": Postgres}
