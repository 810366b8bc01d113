"""A broker behind a proxy that loses the acknowledgements of messages while it is told to."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from tests.kit.peer import PUBACK, packets


class Proxy:
    """Passes connections on to a broker's port. swallows: whether PUBACK goes no further. lost: how many did not."""

    def __init__(self, port: int) -> None:
        self.swallows = False
        self.lost = 0
        self._broker_port = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._sockets: list[socket.socket] = []
        threading.Thread(target=self._run, daemon=True).start()

    def close(self) -> None:
        """End all connections."""
        for each in (self._listener, *self._sockets):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()

    def _run(self) -> None:
        with suppress(OSError):
            while True:
                table, _ = self._listener.accept()
                broker = socket.create_connection(("127.0.0.1", self._broker_port))
                self._sockets += table, broker
                for way in (self._up, self._down):
                    threading.Thread(target=way, args=(table, broker), daemon=True).start()

    def _up(self, table: socket.socket, broker: socket.socket) -> None:
        with suppress(OSError):
            while data := table.recv(65_536):
                broker.sendall(data)
            broker.shutdown(socket.SHUT_RDWR)

    def _down(self, table: socket.socket, broker: socket.socket) -> None:
        with suppress(OSError):
            for packet in packets(broker):
                if self.swallows and packet.head & 0xF0 == PUBACK:
                    self.lost += 1
                else:
                    table.sendall(packet.raw)
            table.shutdown(socket.SHUT_RDWR)


@contextmanager
def swallowing(port: int) -> Iterator[Proxy]:
    """A proxy before the broker at a port, closed at the end."""
    proxy = Proxy(port)
    try:
        yield proxy
    finally:
        proxy.close()
