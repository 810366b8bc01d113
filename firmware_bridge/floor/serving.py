"""HTTP server of the back office's services, with limits for idle connections."""

import socket
import struct
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from firmware_bridge.errors import ConfigError, in_words

UNASKED: Final = 50
"""Most connections without a request; for a new one the oldest is closed of the address that has most of them."""

HERE: Final = frozenset({"127.0.0.1", "::1"})
"""The addresses of programs on this machine."""

REFUSALS: Final = 16
"""Most connections that are refused in one turn of the loop."""

UNREAD_S: Final = 40.0
"""Longest time that a peer may leave bytes unread, longer than a stream of the page waits."""

LINGER_S: Final = 10.0
"""Longest time for a peer to read the end of an answer before its connection is aborted."""

END_S: Final = 3
"""Longest time to answer a request when the server stops."""


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens at an address. Raises OSError.

    What it accepts sends at once: asyncio leaves connections of such a listener as they are, and the body of an answer
    would wait up to 40 ms until the peer has acknowledged its head.
    """
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    made = socket.create_server((host, port), family=family, backlog=256)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


class Listener(socket.socket):
    """A listening socket that bounds connections, of one address and of all, before anything is read from them.

    of_one: most of one address; more are reset. most: of all; for one more, the oldest is ended of the address that has
    most. free: addresses of proxies, which bound their own; they and this machine are not bounded here.
    """

    def __init__(self, listener: socket.socket, of_one: int, most: int, free: Collection[str] = ()) -> None:
        super().__init__(listener.family, listener.type, listener.proto, fileno=listener.detach())
        self._of_one, self._most = of_one, most
        self._free = HERE | {block(each) for each in free}
        self._accepted: dict[str, dict[_Accepted, None]] = {}

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection of an address that may have it. Raises BlockingIOError without one."""
        for _ in range(REFUSALS):
            connection, address = super().accept()
            owner = block(address[0]) if address else ""  # of a Unix socket there is none
            if not owner or owner in self._free:
                return connection, address
            mine = self._accepted.setdefault(owner, {})
            if len(mine) < self._of_one:
                self._make_room()
                accepted = _Accepted(connection, partial(self._forget, owner))
                mine[accepted] = None
                return accepted, address
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, no TIME_WAIT
            connection.close()
        raise BlockingIOError

    def _make_room(self) -> None:
        if sum(map(len, self._accepted.values())) >= self._most:
            most = max(self._accepted.values(), key=len)
            next(iter(most)).end()

    def _forget(self, owner: str, accepted: "_Accepted") -> None:
        mine = self._accepted.get(owner, {})
        mine.pop(accepted, None)
        if not mine:
            self._accepted.pop(owner, None)


class _Accepted(socket.socket):
    """A connection that says when it is closed."""

    def __init__(self, connection: socket.socket, closed: Callable[["_Accepted"], None]) -> None:
        super().__init__(connection.family, connection.type, connection.proto, fileno=connection.detach())
        self._when_closed = closed

    def end(self) -> None:
        """End it for both sides; its reader closes it then."""
        self._when_closed(self)
        with suppress(OSError):  # the peer was first
            self.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close it."""
        self._when_closed(self)
        super().close()


def block(address: str) -> str:
    """An address, or of IPv6 the block of a household, which one device can choose its addresses from."""
    if not is_address(address):
        return address[:64]
    found = ip_address(address)
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or (address if found.is_loopback else ip_network(f"{found}/64", strict=False)))
    return address


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
        self._owner = block(self.client[0]) if self.client else ""
        self._unread: Any = None
        unasked = [each for each in self.connections if isinstance(each, Connection) and each.is_unasked]
        if len(unasked) > UNASKED:
            most = Counter(each._owner for each in unasked)
            min(unasked, key=lambda each: (-most[each._owner], each._began))._give_way()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers."""
        self._first.cancel()
        self._read_again()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Go on; a peer that does not read the end of its last answer is left."""
        super().on_response_complete()
        if self.transport.is_closing():
            self.loop.call_later(LINGER_S, self.transport.abort)

    def pause_writing(self) -> None:
        """Wait for the peer to read, not without end."""
        super().pause_writing()
        self._unread = self._unread or self.loop.call_later(UNREAD_S, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on with a peer that reads."""
        self._read_again()
        super().resume_writing()

    def _read_again(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    @property
    def is_unasked(self) -> bool:
        """Whether no complete request came, and the connection is not closing."""
        cycle: Any = self.cycle
        return cycle is None and not self.transport.is_closing()

    def _give_way(self) -> None:
        if self.is_unasked:
            self.transport.abort()


def server(app: Any, most: int | None, connection: type[Connection] = Connection, **more: Any) -> uvicorn.Server:
    """A server of an ASGI app, for its `run(sockets=[..])`. Raises ConfigError if its certificate cannot be used.

    most: connections at a time, idle ones too; requests on others get a 503. None for an app that bounds them itself.
    """
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
        loop="asyncio",  # another one would not call `Listener.accept`
        limit_concurrency=most,
        timeout_graceful_shutdown=END_S,
        **more,
    )
    try:
        settings.load()
    except OSError as error:  # it reads no other file; a file that is no certificate is an ssl.SSLError
        what = f"TLS cannot be served with {more.get('ssl_certfile')} and {more.get('ssl_keyfile')}: {in_words(error)}"
        raise ConfigError(what, "check both files, that they belong together, and who may read them") from None
    return uvicorn.Server(settings)
