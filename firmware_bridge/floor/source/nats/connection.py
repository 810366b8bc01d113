"""Connection to one node of a NATS cluster, and a thread for the event loop of nats-py."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from threading import Thread
from typing import Any, Final, TypeVar

import nats.errors
import nats.js.errors
from nats.aio.client import Client

from firmware_bridge.facts.decoding import text_of
from firmware_bridge.floor.config import NatsSection, secret
from firmware_bridge.mqtt.settings import tls_context

CONNECT_S: Final = 5.0
"""Longest time for a node to accept a connection, or to answer a question."""

PING_S, PINGS = 5, 2
"""Seconds between pings, and pings without an answer after which a node counts as gone."""

TRIES: Final = 5
"""Tries at a node that resets the connection: the reset may overtake its refusal of the login."""

AWAY: Final = (nats.errors.Error, OSError, asyncio.TimeoutError)
"""Errors of a node out of reach, an election, or a missing answer."""

Answer = TypeVar("Answer")


class Worker:
    """An event loop in a thread, for callers that block."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, name="nats", daemon=True)
        self._thread.start()

    def do(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """Run a coroutine in the thread; return its result, or raise its error."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def close(self) -> None:
        """End the thread."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def connected(
    config: NatsSection, password: bytes | None, server: str, on_error: Callable[[Exception], Awaitable[None]]
) -> Client:
    """Return a connection to a node, without reconnect. Raises the errors in `AWAY`.

    on_error: called with errors that no call raises, such as a missing permission.
    """
    how: dict[str, Any] = {}
    if config.ca or config.cert:
        how = {"tls": tls_context(config.ca, config.cert, str(secret(config.key)) if config.key else None)}
    if config.username is not None:
        how |= {"user": config.username, "password": text_of(password or b"")}
    for left in reversed(range(TRIES)):
        client = Client()
        try:
            async with asyncio.timeout(2 * CONNECT_S):
                await client.connect(
                    [server],
                    name=config.consumer,
                    allow_reconnect=False,
                    max_reconnect_attempts=1,
                    reconnect_time_wait=0,
                    connect_timeout=int(CONNECT_S),
                    ping_interval=PING_S,
                    max_outstanding_pings=PINGS,
                    error_cb=on_error,
                    **how,
                )
            break
        except BaseException as error:
            with suppress(OSError):  # closing raises the reset again
                await client.close()
            if not left or not isinstance(error, ConnectionResetError):
                raise
    return client


def words(error: BaseException) -> str:
    """Return an error of the connection in words, for a technician."""
    match error:
        case nats.js.errors.NotFoundError():
            return f"{error.description}: no MQTT client has connected yet; run shoe-floor prepare"
        case nats.js.errors.ServiceUnavailableError() | nats.errors.NoRespondersError():
            return "the cluster has no leader now, or no JetStream"
        case nats.js.errors.APIError():
            return f"the cluster refuses: {error.description}"
        case asyncio.TimeoutError():
            return "no answer"
        case nats.errors.NoServersError():
            return "it cannot be reached"
    text = str(error) or repr(error)
    if "authorization violation" in text.lower():
        return "it refuses user and password"
    if "permissions violation" in text.lower():
        return f"{text}: allow it in the permissions of this user (docs/nats.md)"
    return text
