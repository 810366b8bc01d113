"""The network of a fleet: `python -m scripts.tools.fleet.proxy PORT=TARGET,TARGET ..`, cut and mended by words.

Each PORT takes connections, and hands each to the first TARGET in turn that is there: as a balancer before a cluster
does. A line `cut` on the input freezes every connection, and lets none begin; `mend` lets all go on.
"""

from __future__ import annotations

import select
import socket
import sys
from contextlib import suppress
from io import FileIO
from typing import Final

HOST: Final = "127.0.0.1"

PIECE: Final = 65_536
"""Bytes read at once."""

BACKLOG: Final = 4_096
"""Connections that may wait: a whole fleet comes at once."""

CONNECT_S: Final = 1.0
"""How long a target on this machine may take to answer."""


class End:
    """One end of a connection: what is read here is written at the other end."""

    def __init__(self, sock: socket.socket) -> None:
        sock.setblocking(False)
        with suppress(OSError):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.sock, self.other = sock, self
        self.unsent, self.watched = b"", select.EPOLLIN

    @property
    def events(self) -> int:
        """What to wait for: no more is read than the other end takes."""
        return (select.EPOLLOUT if self.unsent else 0) | (0 if self.other.unsent else select.EPOLLIN)


class Proxy:
    """Hands connections on from `ports` (port -> targets) until its input ends."""

    def __init__(self, ports: dict[int, list[int]], words: FileIO) -> None:
        self._ports, self._words = ports, words
        self._poll = select.epoll()
        self._poll.register(words, select.EPOLLIN)
        self._listening: dict[int, tuple[socket.socket, list[int]]] = {}
        self._ends: dict[int, End] = {}
        self._is_cut = False
        self._listen()

    def run(self) -> None:
        """Hand on what comes."""
        while True:
            for fd, event in self._poll.poll():
                if fd == self._words.fileno():
                    if not (word := self._words.readline().strip()):
                        return
                    self._cut() if word == b"cut" else self._mend()
                elif fd in self._listening:
                    self._accept(*self._listening[fd])
                elif fd in self._ends and not self._is_cut:
                    self._serve(self._ends[fd], event)

    def _listen(self) -> None:
        for port, targets in self._ports.items():
            sock = socket.create_server((HOST, port), backlog=BACKLOG)
            sock.setblocking(False)
            self._listening[sock.fileno()] = sock, targets
            self._poll.register(sock, select.EPOLLIN)

    def _cut(self) -> None:
        """Stop all traffic silently, without closing a connection."""
        self._is_cut = True
        for fd in self._ends:
            self._poll.unregister(fd)
        for sock, _ in self._listening.values():
            self._poll.unregister(sock)
            sock.close()
        self._listening.clear()

    def _mend(self) -> None:
        self._is_cut = False
        for fd, end in self._ends.items():
            self._poll.register(fd, end.watched)
        self._listen()

    def _accept(self, listening: socket.socket, targets: list[int]) -> None:
        with suppress(BlockingIOError):
            while True:
                near, _ = listening.accept()
                if (far := self._reach(targets)) is None:
                    near.close()
                    continue
                one, other = End(near), End(far)
                one.other, other.other = other, one
                for end in (one, other):
                    self._ends[end.sock.fileno()] = end
                    self._poll.register(end.sock, select.EPOLLIN)

    def _reach(self, targets: list[int]) -> socket.socket | None:
        """Return a connection to the next target in turn that accepts."""
        for _ in range(len(targets)):
            targets.append(targets.pop(0))
            with suppress(OSError):
                return socket.create_connection((HOST, targets[-1]), CONNECT_S)
        return None

    def _serve(self, end: End, event: int) -> None:
        try:
            if event & select.EPOLLOUT and end.unsent:
                end.unsent = end.unsent[end.sock.send(end.unsent) :]
            elif event & (select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR):
                if not (came := end.sock.recv(PIECE)):
                    raise ConnectionResetError
                end.other.unsent = came[self._sent(end.other, came) :]
        except BlockingIOError:
            return
        except OSError:
            self._close(end)
            return
        for each in (end, end.other):
            if each.events != each.watched:
                each.watched = each.events
                self._poll.modify(each.sock, each.watched)

    def _sent(self, end: End, data: bytes) -> int:
        try:
            return end.sock.send(data)
        except BlockingIOError:
            return 0

    def _close(self, end: End) -> None:
        for each in (end, end.other):
            del self._ends[each.sock.fileno()]
            self._poll.unregister(each.sock)
            each.sock.close()


def main() -> None:
    """Hand on from the ports on the command line."""
    ports = {}
    for each in sys.argv[1:]:
        port, _, targets = each.partition("=")
        ports[int(port)] = [int(target) for target in targets.split(",")]
    with suppress(KeyboardInterrupt):
        Proxy(ports, FileIO(sys.stdin.fileno(), closefd=False)).run()


if __name__ == "__main__":
    main()
