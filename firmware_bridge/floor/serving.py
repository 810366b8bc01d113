"""How the services of the back office answer over HTTP: a socket, connections that give way, a server on both."""

import socket
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

UNASKED: Final = 50
"""Connections at most that have brought no request; the oldest gives way to a new one."""

END_S: Final = 3
"""How long a request may take to be answered when the server ends."""


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at an address. Raises OSError."""
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    return socket.create_server((host, port), family=family, backlog=256)


class Connection(H11Protocol):  # type: ignore[misc, unused-ignore]  # Any where uvicorn is not installed
    """A connection as uvicorn serves it, which is closed where it brings no request in time, or too many do not."""

    first_s = 15.0
    """How long a connection may take to bring its first request whole."""

    def connection_made(self, transport: Any) -> None:
        """Begin; the oldest connection without a request gives way where there are too many."""
        super().connection_made(transport)
        self._began = self.loop.time()
        self._first = self.loop.call_later(self.first_s, self._give_way)
        unasked = [each for each in self.connections if isinstance(each, Connection) and each.is_unasked]
        if len(unasked) > UNASKED:
            min(unasked, key=lambda each: each._began)._give_way()

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self._first.cancel()
        super().connection_lost(exc)

    @property
    def is_unasked(self) -> bool:
        """Whether no request came whole, and it is not being closed."""
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
