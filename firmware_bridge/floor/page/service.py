"""`shoe-floor page`: serves the page until it is told to stop."""

from __future__ import annotations

import logging
import signal
import socket
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from firmware_bridge.errors import BridgeError
from firmware_bridge.floor.config import FloorConfig, PageSection
from firmware_bridge.floor.page.app import app
from firmware_bridge.floor.page.feed import feed
from firmware_bridge.floor.store.open import Asked
from firmware_bridge.systemd import Systemd

log = logging.getLogger(__name__)

FIRST_S: Final = 15.0
"""How long a connection may take to bring its first request whole."""

UNASKED: Final = 50
"""Connections at most that have brought no request; the oldest gives way to a new one."""

PAGES: Final = 100
"""Requests beside the streams that are served at a time."""

END_S: Final = 3
"""How long a browser may take to be answered when the page is closed."""


class PageError(BridgeError, OSError):
    """The page cannot be served."""


def run(config: FloorConfig) -> int:
    """Serve until SIGTERM or SIGINT; 0, or 1 where the broker cannot be read any more.

    Raises PageError where nobody can listen at the address, OtherFormat for another store.
    """
    Asked(config).verify_format()
    page, systemd = config.page, Systemd()
    listener = _listener(page)
    address = _address(*listener.getsockname()[:2])

    def ready() -> None:
        print(f"the page is at {address}", flush=True)
        systemd.tell("READY=1", f"STATUS=serves {address}")

    served = app(feed(config), page, ready, config.screen)
    settings = uvicorn.Config(
        served,
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        http=Connection,
        ws="none",
        limit_concurrency=page.streams + config.screen.streams + PAGES,
        timeout_graceful_shutdown=END_S,
    )
    served.state.server = server = uvicorn.Server(settings)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, _again)
    try:
        server.run(sockets=[listener])
    finally:
        systemd.tell("STOPPING=1")
        listener.close()
    return 1 if served.state.feed.failed else 0


class Connection(H11Protocol):  # type: ignore[misc, unused-ignore]  # Any where uvicorn is not installed
    """A connection as uvicorn serves it, which is closed where it brings no request in time, or too many do not."""

    def connection_made(self, transport: Any) -> None:
        """Begin; the oldest connection without a request gives way where there are too many."""
        super().connection_made(transport)
        self._began = self.loop.time()
        self._first = self.loop.call_later(FIRST_S, self._give_way)
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


def _again(number: int, frame: object) -> None:
    """Take a signal that uvicorn, which ended because of it, raises once more."""


def _listener(page: PageSection) -> socket.socket:
    try:
        family = socket.getaddrinfo(page.host, page.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((page.host, page.port), family=family, backlog=256)
    except OSError as error:
        what = f"nobody can listen at {page.host}, port {page.port}: {error.strerror}"
        raise PageError(what, "look at [page] host and port of floor.toml, or end what listens there") from None


def _address(host: str, port: int) -> str:
    return f"http://[{host}]:{port}/" if ":" in host else f"http://{host}:{port}/"
