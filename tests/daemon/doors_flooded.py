"""Floods of a table's sockets by real users, each in a process of his own, and what is asked beside them."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any, Final

from firmware_bridge.config.doors import SOCKET
from firmware_bridge.facts.book.roles import GROUPS, Role
from tests.kit.daemon_table import DaemonTable
from tests.kit.people import GID, UID, all_connected_as

MOST_MB: Final = 10.0
"""What a door may add to the memory of its process, flooded beyond its measure."""

PAUSE_S: Final = 0.005
"""Between two steps of a flood, so that it does not keep the cores to itself."""

LINES: Final = (
    b'{"do":"status"}\n' * 20,
    b'{"do":"watch"}\n',
    b'{"do":"watch","x":"' + b"a" * 1_000_000,
    b'{"do":"stat',
    b"",
    b"\xff\x00{]\n" * 200,
    b'{"do":"resolve","irregularity":"jam","choice":"keep","by":"zed"}\n' * 20,
    b'{"do":"take_back","by":"zed"' + b" " * 100 + b"}" + b"x" * 8_000,
    b'{"do":"calibration"}\n{"do":"journals"}\n' * 20,
    b'{"do":"lend","device":"moon","by":"zed"}\n' * 5,
)
"""What a connection of a flood begins with; some are never read again."""


class Socket:
    """A role's socket of a table, as a user in its group alone reaches it."""

    def __init__(self, table: DaemonTable, role: Role, uid: int | None = None) -> None:
        is_owner = role == "owner"
        self._path = table.journal_dir / ("" if is_owner else role) / "control.sock"
        self._uid = 0 if is_owner else UID[role] if uid is None else uid
        self._groups = [] if is_owner else [GID[role]]

    def connected(self, count: int = 1) -> list[Lines]:
        """So many more connections; a process of the user makes them."""
        return [Lines(each) for each in all_connected_as(self._path, self._uid, self._groups, count)]

    def flooded(self, seed: int, over: Callable[[], bool]) -> None:
        """Open, fill and close connections until it is over: as the user, in this process."""
        os.setgroups(self._groups)
        os.setresgid(self._uid, self._uid, self._uid)
        os.setresuid(self._uid, self._uid, self._uid)
        random, held = Random(seed), list[socket.socket]()
        while not over():
            if len(held) > SOCKET.of_all + 8:
                held.pop(random.randrange(len(held))).close()
            one = socket.socket(socket.AF_UNIX)
            one.setblocking(False)
            with suppress(OSError):  # the backlog is full, or it is closed already
                one.connect(str(self._path))
                one.send(random.choice(LINES))
            held.append(one)
            for each in held[::2]:  # the others are never read
                with suppress(OSError):
                    each.recv(1 << 16)
            time.sleep(PAUSE_S)


def forked(flood: Callable[[Callable[[], bool]], None]) -> int:
    """The pid of a process that floods until it is killed, or this one has ended."""
    parent = os.getpid()
    pid = os.fork()
    if pid == 0:
        try:
            flood(lambda: os.getppid() != parent)
        finally:
            os._exit(0)
    return pid


def killed(pids: list[int]) -> None:
    """End floods."""
    while pids:
        pid = pids.pop()
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def floods_of_sockets(table: DaemonTable, roles: tuple[Role, ...] = tuple(GROUPS)) -> list[int]:
    """A flood of each role's socket, by a user of its group; their pids."""
    return [
        forked(lambda over, seed=seed, role=role: Socket(table, role, 50_000 + seed).flooded(seed, over))  # type: ignore[misc]  # bound now
        for seed, role in enumerate(roles)
    ]


class Lines:
    """A connection at a socket: what is asked, and what comes."""

    def __init__(self, made: socket.socket) -> None:
        self._socket, self._lines = made, made.makefile("rb")

    def say(self, request: dict[str, Any] | bytes) -> Lines:
        """Send a request, or bytes as they are; nothing where the other side has ended it."""
        with suppress(BrokenPipeError):
            self._socket.sendall(request if isinstance(request, bytes) else json.dumps(request).encode() + b"\n")
        return self

    def ask(self, **request: Any) -> dict[str, Any]:
        """The answer to a request."""
        return self.say(request).hear()

    def hear(self) -> dict[str, Any]:
        """The next answer; an empty one at the end."""
        with suppress(ConnectionResetError):
            answer: dict[str, Any] = json.loads(self._lines.readline() or b"{}")
            return answer
        return {}

    def without_limit(self) -> Lines:
        """The same connection, which waits for what comes as long as nothing does."""
        self._lines.close()
        made = socket.socket(fileno=self._socket.detach())
        made.settimeout(None)
        return Lines(made)

    @property
    def is_hung_up(self) -> bool:
        """Whether the other side has ended it, whatever was not read yet."""
        poll = select.poll()
        poll.register(self._socket, 0)
        return bool(poll.poll(0))

    def end(self) -> None:
        """End it for both sides, for a thread that reads it."""
        self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._lines.close()
        self._socket.close()


class Display:
    """The dealer's display of a table, which reads each state as it comes. `seen`: the newest; {} once it has ended."""

    def __init__(self, table: DaemonTable) -> None:
        (made,) = Socket(table, "dealer").connected()
        self._lines = made.without_limit()
        self.seen = self._lines.ask(do="watch")
        self._thread = Thread(target=self._read, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._lines.end()
        self._thread.join()
        self._lines.close()

    def _read(self) -> None:
        while self.seen:
            self.seen = self._lines.hear()


def memory_mb(pid: int, field: str = "VmRSS") -> float:
    """Megabytes of a process in memory; `VmHWM`: the most so far."""
    (line,) = [each for each in Path(f"/proc/{pid}/status").read_text().splitlines() if each.startswith(f"{field}:")]
    return int(line.split()[1]) / 1024
