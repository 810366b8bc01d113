"""HTTP server of the back office's services, with limits for idle connections."""

import gc
import logging
import socket
import struct
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import partial
from ipaddress import IPv6Address, ip_address, ip_network
from itertools import count
from math import inf
from typing import Any, Final

import uvicorn
from h11 import LocalProtocolError
from uvicorn.protocols.http.h11_impl import H11Protocol

from firmware_bridge.config.doors import GARBAGE, PAGE, UNASKED, Door
from firmware_bridge.errors import ConfigError, in_words

log = logging.getLogger(__name__)

_lost: Final = count(1)
"""Connections that have ended."""

HERE: Final = frozenset({"127.0.0.1", "::1"})
"""The addresses of programs on this machine."""

REFUSALS: Final = 16
"""Most connections that are refused in one turn of the loop."""

TURN: Final = 32
"""Most connections that are accepted in one turn of the loop: the next turn reads what they ask."""

BACKLOG: Final = 256
"""Connections that wait in the kernel to be accepted."""

LINGER_S: Final = 10.0
"""Longest time for a peer to read the end of an answer before its connection is aborted."""

ADDRESSES: Final = 10_000
"""Most addresses with counted requests; the one that asked longest ago is forgotten first."""

BURST_S: Final = 5
"""Seconds of a rate that may come at once: a floor asks a witness for all its tables in turn."""

FRESH, FRESH_S = 150, 0.5
"""So many more may be without a request for so long: those of a proxy come at once, and are read behind each other."""

QUIET_S: Final = 60.0
"""Time between two lines of the log of one kind."""

END_S: Final = 3
"""Longest time to answer a request when the server stops."""


def listening(host: str, port: int) -> socket.socket:
    """Return a socket that listens at an address. Raises OSError.

    What it accepts sends at once: asyncio leaves connections of such a listener as they are, and the body of an answer
    would wait up to 40 ms until the peer has acknowledged its head.
    """
    family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    made = socket.create_server((host, port), family=family, backlog=BACKLOG)
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
        self._ended = CountedLog(log, "connections were ended")

    def listen(self, backlog: int = BACKLOG) -> None:
        """Do nothing: it listens, and the server would let no more wait than it accepts in a turn."""

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection of an address that may have it. Raises BlockingIOError without one."""
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
            self._ended.add(f"{owner}, which has {self._of_one}")
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # a reset, no TIME_WAIT
            connection.close()
        raise BlockingIOError

    def _make_room(self) -> None:
        if sum(map(len, self._accepted.values())) >= self._most:
            owner, most = max(self._accepted.items(), key=lambda each: len(each[1]))
            self._ended.add(f"{owner}: all have {self._most}")
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


class CountedLog:
    """Writes warnings of one kind to a log, at most one a minute: the first at once, those behind it as a count."""

    def __init__(self, log: logging.Logger, what: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._log, self._what, self._clock = log, what, clock
        self._count, self._quiet_until = 0, -inf

    def add(self, last: str) -> None:
        """Count one more; it is written then, or with the next one after the minute."""
        self._count += 1
        if self._clock() >= self._quiet_until:
            self._log.warning("%s: %d, the last one for %s", self._what, self._count, last)
            self._count, self._quiet_until = 0, self._clock() + QUIET_S


_no_http: Final = CountedLog(log, "requests were no HTTP")


class Rate:
    """Counts requests of each address. rate: a second, on average; `BURST_S` times as many at once."""

    def __init__(self, rate: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._clock = rate, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def takes(self, address: str) -> bool:
        """Return whether one more request of an address is within the rate."""
        owner, now, most = block(address), self._clock(), self._rate * BURST_S
        left, at = self._left.pop(owner, (most, now))
        left = min(most, left + (now - at) * self._rate)
        self._left[owner] = (left - 1 if left >= 1 else left, now)
        if len(self._left) > ADDRESSES:
            self._left.popitem(last=False)
        return left >= 1


def block(address: str) -> str:
    """Return an address, or of IPv6 the block of a household, which one device can choose its addresses from."""
    if not is_address(address):
        return address[:64]
    found = ip_address(address)
    if isinstance(found, IPv6Address):
        return str(found.ipv4_mapped or (address if found.is_loopback else ip_network(f"{found}/64", strict=False)))
    return address


def host_name(host: str) -> str:
    """Return the name in a `Host` header."""
    name = host.lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0] if name.count(":") <= 1 else name


def is_address(name: str) -> bool:
    """Return whether a name is an IP address, which no foreign site can own."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


class Connection(H11Protocol):  # type: ignore[misc, unused-ignore]  # Any where uvicorn is not installed
    """A connection of uvicorn that is closed without a request in time, or if too many have none."""

    door: Door = PAGE

    def connection_made(self, transport: Any) -> None:
        """Start; close the oldest connections without a request if there are too many."""
        super().connection_made(transport)
        transport.max_size = self.door.longest  # else 256 KiB are read at a time, and kept
        self._began = self.loop.time()
        self._first = self.loop.call_later(self.door.first_s, self._give_way)
        self._owner = block(self.client[0]) if self.client else ""
        self._unread: Any = None
        self._linger: Any = None
        self._could_ask = False
        self.loop.call_soon(self.loop.call_soon, self._was_read)  # behind the turn that reads what came with it
        unasked = [each for each in self.connections if isinstance(each, Connection) and each.is_unasked]
        if (over := len(unasked) - UNASKED) > 0:
            most = Counter(each._owner for each in unasked)
            could_ask = [each for each in unasked if each._could_ask]
            for each in sorted(could_ask, key=lambda each: (-most[each._owner], each._began))[:over]:
                if over > FRESH or self._began - each._began > FRESH_S:
                    each._give_way()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timers."""
        for each in (self._first, self._unread, self._linger):
            if each is not None:
                each.cancel()
        self._unset_keepalive_if_required()  # uvicorn does where no error ended it
        super().connection_lost(exc)
        if next(_lost) % GARBAGE == 0:
            gc.collect()

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP, where no answer has begun, and close; the log counts it.

        The request that it is the body of gets no other answer.
        """
        _no_http.add(self._owner or "a proxy")
        cycle: Any = self.cycle
        if cycle is not None:
            cycle.disconnected = True
            cycle.message_event.set()
        try:
            super().send_400_response(msg)
        except LocalProtocolError:
            self.transport.close()

    def on_response_complete(self) -> None:
        """Go on; a peer that does not read the end of its last answer is left."""
        super().on_response_complete()
        if self.transport.is_closing():
            self._linger = self._linger or self.loop.call_later(LINGER_S, self.transport.abort)

    def pause_writing(self) -> None:
        """Wait for the peer to read, not without end."""
        super().pause_writing()
        self._unread = self._unread or self.loop.call_later(self.door.unread_s, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on with a peer that reads."""
        self._read_again()
        super().resume_writing()

    def _read_again(self) -> None:
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    def _was_read(self) -> None:
        self._could_ask = True

    @property
    def is_unasked(self) -> bool:
        """Whether no complete request came, and the connection is not closing."""
        cycle: Any = self.cycle
        return cycle is None and not self.transport.is_closing()

    def _give_way(self) -> None:
        if self.is_unasked:
            self.transport.abort()


def server(app: Any, most: int | None, connection: type[Connection] = Connection, **more: Any) -> uvicorn.Server:
    """Return a server of an ASGI app, for its `run(sockets=[..])`. Raises ConfigError for an unusable certificate.

    most: connections at a time, idle ones too; requests on others get a 503. None for an app that bounds them itself.
    """
    gc.freeze()  # what is there by now stays
    settings = uvicorn.Config(
        app,
        log_config=None,
        log_level="error",  # its warnings are about each request that is wrong
        access_log=False,
        server_header=False,
        date_header=False,
        proxy_headers=False,
        http=connection,
        ws="none",
        loop="asyncio",  # another one would not call `Listener.accept`
        backlog=TURN,
        limit_concurrency=most,
        h11_max_incomplete_event_size=connection.door.longest,
        timeout_graceful_shutdown=END_S,
        **more,
    )
    try:
        settings.load()
    except OSError as error:  # it reads no other file; a file that is no certificate is an ssl.SSLError
        what = f"TLS cannot be served with {more.get('ssl_certfile')} and {more.get('ssl_keyfile')}: {in_words(error)}"
        raise ConfigError(what, "check both files, that they belong together, and who may read them") from None
    return uvicorn.Server(settings)
