"""HTTP server of the back office's services, with limits for idle connections."""

import socket
from ipaddress import ip_address
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

UNASKED: Final = 50
"""Most connections without a request; the oldest is closed for a new one."""

END_S: Final = 3
"""Longest time to answer a request when the server stops."""


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at an address. Raises OSError."""
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    return socket.create_server((host, port), family=family, backlog=256)


def host_name(host: str) -> str:
    """The name in a `Host` header."""
    name = host.lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0] if name.count(":") <= 1 else name


def is_address(name: str) -> bool:
    """Whether a name is an IP address, which no foreign site can own."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class Connection(H11Protocol):  # type: ignore[misc, unused-ignore]  # Any where uvicorn is not installed
    """A connection of uvicorn that is closed without a request in time, or if too many have none."""

    first_s = 15.0
    """Longest time for the first complete request."""

    def connection_made(self, transport: Any) -> None:
        """Start; closes the oldest connection without a request if there are too many."""
        super().connection_made(transport)
        self._began = self.loop.time()
        self._first = self.loop.call_later(self.first_s, self._give_way)
        unasked = [each for each in self.connections if isinstance(each, Connection) and each.is_unasked]
        if len(unasked) > UNASKED:
            min(unasked, key=lambda each: each._began)._give_way()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer."""
        self._first.cancel()
        super().connection_lost(exc)

    @property
    def is_unasked(self) -> bool:
        """Whether no complete request came, and the connection is not closing."""
        cycle: Any = self.cycle
        return cycle is None and not self.transport.is_closing()

    def _give_way(self) -> None:
        if self.is_unasked:
            self.transport.abort()


def server(app: Any, most: int, connection: type[Connection] = Connection, **more: Any) -> uvicorn.Server:
    """A server of an ASGI app, for its `run(sockets=[..])`. most: requests at a time; others get a 503."""
    settings = uvicorn.Config(
        app,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        http=connection,
        ws="none",
        limit_concurrency=most,
        timeout_graceful_shutdown=END_S,
        **more,
    )
    return uvicorn.Server(settings)
