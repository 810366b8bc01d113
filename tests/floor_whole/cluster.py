"""A server of PostgreSQL of its own, in a directory that goes with it: started, killed and started again by tests."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path

from tests.kit.broker import free_port
from tests.kit.patience import ended, run, until


def programs() -> Path | None:
    """The directory of `initdb` and the others, None where PostgreSQL is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[-3]))
    return found[-1].parent if found else None


def missing() -> str | None:
    """Why no server can be had here, None where one can."""
    if programs() is None:
        return "PostgreSQL is missing: install the package postgresql"
    try:
        import psycopg  # noqa: F401
    except ImportError:
        return "psycopg is missing: pip install '.[postgres]'"
    return None


class Cluster:
    """A server on loopback and in a socket; user `postgres`, whom the socket trusts. It runs as no root.

    settings: `name=value`. of: the server that this one follows as a standby. parent: where its directory is made.
    """

    def __init__(self, *settings: str, of: Cluster | None = None, parent: str = "/tmp") -> None:
        found = programs()
        assert found is not None
        self.programs, self.port, self._settings = found, free_port(), settings
        self.directory = Path(tempfile.mkdtemp(prefix="cluster-", dir=parent))
        self._process: subprocess.Popen[bytes] | None = None
        if os.geteuid() == 0:
            who = pwd.getpwnam("postgres")
            os.chown(self.directory, who.pw_uid, who.pw_gid)
        if of is not None:
            self.run("pg_basebackup", "-d", of.url("postgres"), "-D", str(self.directory / "data"), "-R", "--no-sync")
            return
        auth = ("--auth-local=trust", "--auth-host=scram-sha-256", "--username=postgres", "--encoding=UTF8")
        self.run("initdb", "-D", str(self.directory / "data"), "--locale=C.UTF-8", "--no-sync", *auth)

    def url(self, database: str, user: str = "postgres") -> str:
        """The database by the socket."""
        return f"postgresql://{user}@/{database}?host={self.directory}&port={self.port}"

    def loopback(self, database: str, user: str = "postgres", port: int | None = None) -> str:
        """The database by the network: users there have passwords."""
        return f"postgresql://{user}@127.0.0.1:{port or self.port}/{database}"

    def run(self, program: str, *words: str) -> str:
        """What a program of PostgreSQL prints."""
        command = [*_as_postgres(), str(self.programs / program), *words]
        done = run(command, cwd="/")
        assert done.returncode == 0, f"{program}: {done.stderr}"
        return done.stdout

    def sql(self, statement: str, database: str = "postgres") -> str:
        """What psql prints."""
        return self.run("psql", "-qAtX", "-v", "ON_ERROR_STOP=1", "-d", self.url(database), "-c", statement).strip()

    def promote(self) -> None:
        """Make a standby the primary."""
        self.run("pg_ctl", "promote", "-D", str(self.directory / "data"))

    def start(self) -> None:
        """Start it, and wait until it answers; after a kill the last of its processes must go first."""
        until(self._started, story=lambda: (self.directory / "log").read_text()[-2000:], look_s=0.1)

    def stop(self, number: signal.Signals = signal.SIGINT) -> None:
        """End it by a signal: SIGINT ends it in order, SIGKILL as a power cut does."""
        process, self._process = self._process, None
        if process is not None:
            process.send_signal(number)
            ended(process)

    def cpu_s(self) -> float:
        """Seconds of CPU of its processes that have ended: one for each connection."""
        assert self._process is not None
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[13]) + int(fields[14])) / os.sysconf("SC_CLK_TCK")

    def remove(self) -> None:
        """Stop it, with all that it kept."""
        self.stop()
        shutil.rmtree(self.directory)

    def _started(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            options = ("listen_addresses=127.0.0.1", f"port={self.port}", f"unix_socket_directories={self.directory}")
            named = [word for each in (*options, *self._settings) for word in ("-c", each)]
            command = [*_as_postgres(), str(self.programs / "postgres"), "-D", str(self.directory / "data"), *named]
            with (self.directory / "log").open("ab") as log:
                self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd="/")
        ready = [str(self.programs / "pg_isready"), "-q", "-h", str(self.directory), "-p", str(self.port)]
        return run(ready).returncode == 0


def _as_postgres() -> list[str]:
    """What runs a program as the user postgres: initdb and the server refuse root."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups", "--"]
