"""A real mosquitto on a private port, which tests start, stop, kill and freeze."""

import os
import random
import shutil
import signal
import socket
import subprocess
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.kit.patience import ended, until

MOSQUITTO = shutil.which("mosquitto", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")
PORTS = range(10_240, 32_768)
"""Below those that the kernel gives to connections."""
AT_ONCE = 32
"""Ports that belong to a process as soon as it asks for one of them."""
_left = list[int]()


def free_port() -> int:
    """Return a TCP port of the loopback that was free a moment ago, and that no other test on this machine is given."""
    while True:
        if not _left:
            _left.extend(_ports_of_ours())
        port = _left.pop()
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


def _ports_of_ours() -> range:
    """Ports that belong to this process until it ends: it holds an abstract socket with the name of the first."""
    for first in random.sample(PORTS[::AT_ONCE], len(PORTS) // AT_ONCE):
        held = socket.socket(socket.AF_UNIX)
        try:
            held.bind(f"\0ports of a firmware-bridge test: {first}")
        except OSError:
            held.close()
        else:
            held.detach()  # nothing but the end of this process closes it
            return range(first, first + AT_ONCE)
    raise RuntimeError("other runs of these tests hold all ports of this machine")


class Broker:
    """One broker in `folder`; it keeps its port over restarts, and what it stored when `persistence` is on.

    `users`: names and passwords; without them anybody may come. `acl`: the lines of mosquitto's acl_file.
    `tls`: a folder with ca.pem, broker.pem and broker.key. `options`: more lines for mosquitto.conf.
    """

    host = "127.0.0.1"

    def __init__(
        self,
        folder: Path,
        *,
        users: dict[str, str] | None = None,
        acl: str | None = None,
        persistence: bool = False,
        tls: Path | None = None,
        options: str = "",
    ) -> None:
        self.port = free_port()
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None
        lines = [f"listener {self.port} {self.host}", f"allow_anonymous {str(not users).lower()}", options]
        if os.geteuid() == 0:
            lines.append("user root")
        if users:
            lines.append(f"password_file {self._passwords(users)}")
        if acl is not None:
            (folder / "acl").write_text(acl + "\n")
            (folder / "acl").chmod(0o600)
            lines.append(f"acl_file {folder / 'acl'}")
        if persistence:
            lines += ["persistence true", f"persistence_location {folder}/", "autosave_interval 1"]
        if tls is not None:
            lines += [f"cafile {tls}/ca.pem", f"certfile {tls}/broker.pem", f"keyfile {tls}/broker.key"]
        (folder / "mosquitto.conf").write_text("\n".join(lines) + "\n")

    def start(self) -> "Broker":
        """Start it and return when it takes connections."""
        assert MOSQUITTO is not None, "these tests need mosquitto"
        with (self._folder / "mosquitto.log").open("ab") as log:
            command = [MOSQUITTO, "-c", str(self._folder / "mosquitto.conf"), "-v"]
            self._process = subprocess.Popen(command, stdout=log, stderr=log)
        until(self._listens, story=lambda: self.log)
        return self

    def stop(self) -> None:
        """End it in order; clients see the connection close."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End it with SIGKILL; what it had not saved is lost."""
        self._end(signal.SIGKILL)

    def pause(self) -> None:
        """Freeze it: the kernel still takes connections and bytes, nobody answers."""
        self._send(signal.SIGSTOP)

    def resume(self) -> None:
        """Let a frozen broker go on."""
        self._send(signal.SIGCONT)

    def reload(self) -> None:
        """Let it read its acl and passwords again."""
        self._send(signal.SIGHUP)

    @property
    def log(self) -> str:
        """What mosquitto has logged so far."""
        return (self._folder / "mosquitto.log").read_text(errors="replace")

    def _listens(self) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.log
        with socket.socket() as probe:
            return probe.connect_ex((self.host, self.port)) == 0

    def _send(self, number: signal.Signals) -> None:
        assert self._process is not None, "the broker was not started"
        self._process.send_signal(number)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.send_signal(signal.SIGCONT)
            ended(self._process)
            self._process = None

    @property
    def passwords(self) -> Path:
        """The file of names and hashed passwords, which it reads at its start."""
        return self._folder / "passwords"

    def _passwords(self, users: dict[str, str]) -> Path:
        path = self.passwords
        path.write_text("".join(f"{name}:{password}\n" for name, password in users.items()))
        path.chmod(0o600)
        subprocess.run(["mosquitto_passwd", "-U", str(path)], check=True)
        return path


@pytest.fixture
def brokers(tmp_path: Path) -> Iterator[Callable[..., Broker]]:
    """Make brokers (started) with the options of `Broker`; they are ended after the test."""
    made: list[Broker] = []

    def make(**options: object) -> Broker:
        folder = tmp_path / f"broker{len(made)}"
        folder.mkdir()
        made.append(Broker(folder, **options))  # type: ignore[arg-type]
        return made[-1].start()

    yield make
    for each in made:
        each.kill()


@pytest.fixture
def broker(brokers: Callable[..., Broker]) -> Broker:
    """Give one plain, running broker."""
    return brokers()
