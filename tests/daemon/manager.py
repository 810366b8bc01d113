"""What systemd is told by a daemon."""

import socket


class Manager:
    """The socket systemd listens on, until the `with` block ends."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind("\0" + address[1:] if address.startswith("@") else address)
        self._socket.setblocking(False)
        self.received: list[str] = []

    def __enter__(self) -> "Manager":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def hears(self, wanted: str) -> bool:
        """Whether `wanted` was told by now."""
        try:
            while True:
                self.received += self._socket.recv(4096).decode().split("\n")
        except BlockingIOError:
            return wanted in self.received
