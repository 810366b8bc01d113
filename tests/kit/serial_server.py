"""Serial servers and adapters on which a port opens and dies: real sockets and pseudo-terminals on the running loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import socket
import struct
import tty
from ctypes import addressof, create_string_buffer
from itertools import pairwise
from pathlib import Path
from typing import Final

SO_ATTACH_FILTER: Final = 26
DROP_ALL: Final = struct.pack("HBBI", 0x06, 0, 0, 0)
"""A packet filter of one instruction: return 0."""

LOOK_S: Final = 0.002


class SerialServer:
    """A serial server in the network: each connection is greeted, and hung up after `hold_s` (None: never).

    one: it has one client at a time; "first" hangs up on later ones, "last" on the one before.
    """

    def __init__(self, hold_s: float | None = 0.0, greeting: bytes = b"", one: str = "") -> None:
        self.hold_s, self.greeting, self.one = hold_s, greeting, one
        self.clients: list[socket.socket] = []
        self.times: list[float] = []
        """When each connection was accepted."""
        self._loop = asyncio.get_running_loop()
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.setblocking(False)
        self.target = f"socket://127.0.0.1:{self._server.getsockname()[1]}"
        self._loop.add_reader(self._server, self._accept)

    @property
    def gaps(self) -> list[float]:
        """Seconds between two connections."""
        return [after - before for before, after in pairwise(self.times)]

    def be_good(self) -> None:
        """Keep the next connection."""
        self.hold_s = None

    def send(self, chunk: bytes) -> None:
        """Send bytes to every client."""
        for client in self.clients:
            client.sendall(chunk)

    def vanish(self) -> None:
        """Lose what comes from the clients, and say nothing any more: they have no other side."""
        program = create_string_buffer(DROP_ALL)
        for client in self.clients:
            client.setsockopt(socket.SOL_SOCKET, SO_ATTACH_FILTER, struct.pack("HP", 1, addressof(program)))

    def close(self) -> None:
        """Hang up on all, and accept no more."""
        self._loop.remove_reader(self._server)
        self._server.close()
        for client in [*self.clients]:
            self.hang_up(client)

    def _accept(self) -> None:
        client, _ = self._server.accept()
        self.times.append(self._loop.time())
        if self.one == "last":
            for before in [*self.clients]:
                self.hang_up(before)
        is_refused = self.one == "first" and bool(self.clients)
        self.clients.append(client)
        with contextlib.suppress(OSError):
            client.sendall(self.greeting if is_refused or not self.one else b"")
        if is_refused:
            self.hang_up(client)
        elif self.hold_s is not None and not self.one:
            self._loop.call_later(self.hold_s, self.hang_up, client)
        elif self.one:
            self._loop.add_reader(client, self._read, client)

    def _read(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError):
            if client.recv(4096):
                return
        self.hang_up(client)

    def hang_up(self, client: socket.socket) -> None:
        """End a connection."""
        if client in self.clients:
            self.clients.remove(client)
            self._loop.remove_reader(client)
            client.close()


class DyingAdapter:
    """A serial adapter under the name `link` that is unplugged as soon as it is opened, and is there again at once."""

    def __init__(self, link: Path) -> None:
        self.link, self.target = link, str(link)
        self.times = list[float]()
        """When it was opened, each time."""
        self._is_good = False
        self._loop = asyncio.get_running_loop()
        self._master = self._plug()
        self._look()

    @property
    def gaps(self) -> list[float]:
        """Seconds between two openings."""
        return [after - before for before, after in pairwise(self.times)]

    def be_good(self) -> None:
        """Stay plugged in."""
        self._is_good = True

    def send(self, chunk: bytes) -> None:
        """Send bytes to the program that has it open."""
        os.write(self._master, chunk)

    def close(self) -> None:
        """Unplug it."""
        self._timer.cancel()
        os.close(self._master)

    def _plug(self) -> int:
        master, slave = os.openpty()
        tty.setraw(slave)
        fresh = self.link.with_suffix(".new")
        fresh.symlink_to(os.ttyname(slave))
        fresh.replace(self.link)
        os.close(slave)
        return master

    def _look(self) -> None:
        self._timer = self._loop.call_later(LOOK_S, self._look)
        poll = select.poll()
        poll.register(self._master, select.POLLHUP)
        if self._is_good or any(events & select.POLLHUP for _, events in poll.poll(0)):
            return  # nobody has it open
        self.times.append(self._loop.time())
        dying, self._master = self._master, self._plug()
        os.close(dying)
