"""TCP connections to readers and keypads on the network, which end when the other side is gone."""

import asyncio
import contextlib
import socket
from typing import Final

from hardware.errors import PortError, PortMissing

SOCKET: Final = "socket://"

CONNECT_S: Final = 2.0
"""Seconds for an address to answer: a second attempt goes out after 1 s, and the next try follows at once."""

IDLE_S: Final = 15
PROBE_S: Final = 5
PROBES: Final = 3
"""Keep-alive: after `IDLE_S` without a byte, `PROBES` probes every `PROBE_S`; unanswered, the connection ends."""

GONE_S: Final = IDLE_S + PROBES * PROBE_S
"""Seconds after which a connection without another side has ended, whether bytes were written or not."""

KEPT_ALIVE: Final = (
    (socket.IPPROTO_TCP, socket.TCP_NODELAY, 1),
    (socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1),
    (socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, IDLE_S),
    (socket.IPPROTO_TCP, socket.TCP_KEEPINTVL, PROBE_S),
    (socket.IPPROTO_TCP, socket.TCP_KEEPCNT, PROBES),
    # No probe is sent while written bytes wait for an answer: they are sent again for 15 minutes otherwise.
    (socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, GONE_S * 1000),
)


async def connected(target: str, loop: asyncio.AbstractEventLoop) -> socket.socket:
    """Return a connection to `socket://host:port`, non-blocking and kept alive. Raises PortError with its remedy."""
    host, _, number = target.removeprefix(SOCKET).rpartition(":")
    if not host or not number.isdecimal():
        text = f"{target} is not a reader's address: write socket://host:port"
        raise PortError(text, "no_address", port=target)
    why = "no address"
    for family, kind, protocol, _, address in await _addresses(host, int(number), target, loop):
        connection = socket.socket(family, kind, protocol)
        connection.setblocking(False)
        try:
            async with asyncio.timeout(CONNECT_S):
                await loop.sock_connect(connection, address)
        except TimeoutError as late:
            why = late.strerror or f"no answer in {CONNECT_S:.0f} s"
            connection.close()
        except OSError as refused:
            why = str(refused)
            connection.close()
        except asyncio.CancelledError:
            connection.close()
            raise
        else:
            for level, option, value in KEPT_ALIVE:
                with contextlib.suppress(OSError):
                    connection.setsockopt(level, option, value)
            return connection
    text = f"no reader answers at {target} ({why}): check its power and [reader] port"
    raise PortMissing(text, "no_reader_answers", port=target, error=why)


async def _addresses(host: str, number: int, target: str, loop: asyncio.AbstractEventLoop) -> list[tuple]:  # type: ignore[type-arg]  # getaddrinfo's own
    try:
        return await loop.getaddrinfo(host, number, type=socket.SOCK_STREAM)
    except OSError as error:
        text = f"{host} in {target} cannot be found ({error}): check [reader] port"
        raise PortMissing(text, "reader_host_unknown", port=target, host=host, error=str(error)) from None
