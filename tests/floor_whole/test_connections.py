"""Connections of the server of the back office: none is ended before it could be read, and none outlives its peer."""

from __future__ import annotations

import gc
import socket
import struct
import time
from collections.abc import Callable, Iterator
from threading import Thread
from typing import Any
from weakref import WeakSet

import pytest

pytest.importorskip("uvicorn")

from firmware_bridge.floor import serving
from firmware_bridge.floor.serving import Connection, Listener, listening, server
from tests.kit.patience import HANG_S, until

MANY = 200
DRAWS_S = 0.01
"""What an answer holds the loop up for: all of them longer than a connection may ask nothing."""

ASK = b"GET / HTTP/1.1\r\nhost: w\r\n\r\n"
RESET = struct.pack("ii", 1, 0)

alive: WeakSet[Any] = WeakSet()
"""Connections and their transports that anything still has."""


class Watched(Connection):
    """A connection that is counted."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        alive.update((self, transport))


def are_gone() -> bool:
    gc.collect()
    return not alive


@pytest.fixture
def served() -> Iterator[Callable[..., int]]:
    """Serve an answer to all; the port."""
    made = list[tuple[Any, Thread, Listener]]()

    def at(draws_s: float = 0.0, headers: tuple[tuple[bytes, bytes], ...] = ()) -> int:
        async def app(scope: Any, receive: Any, send: Any) -> None:
            time.sleep(draws_s)
            head = {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2"), *headers]}
            await send(head)
            await send({"type": "http.response.body", "body": b"ok"})

        listener = Listener(listening("127.0.0.1", 0), 8, 8)
        web = server(app, None, Watched, lifespan="off", timeout_keep_alive=HANG_S)
        thread = Thread(target=web.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        made.append((web, thread, listener))
        return int(listener.getsockname()[1])

    yield at
    for web, thread, listener in made:
        web.should_exit = True
        thread.join()
        listener.close()


def asked(port: int) -> socket.socket:
    """A connection that has asked."""
    made = socket.create_connection(("127.0.0.1", port), HANG_S)
    made.sendall(ASK)
    return made


def answer(link: socket.socket) -> bytes:
    """How the answer begins; nothing where the connection was ended."""
    try:
        return link.recv(64)[:12]
    except ConnectionError:
        return b""


def test_all_who_ask_a_slow_loop_at_once_are_answered(served: Callable[..., int]) -> None:
    port = served(DRAWS_S, ((b"connection", b"close"),))
    links = [asked(port) for _ in range(MANY)]
    assert [answer(each) for each in links] == [b"HTTP/1.1 200"] * MANY
    for each in links:
        each.close()


@pytest.mark.parametrize("header", [(b"connection", b"close"), (b"x-kept", b"alive")])
def test_nothing_is_left_of_a_connection_whose_peer_is_gone(
    served: Callable[..., int], monkeypatch: pytest.MonkeyPatch, header: tuple[bytes, bytes]
) -> None:
    monkeypatch.setattr(serving, "LINGER_S", HANG_S)
    alive.clear()  # those of a test before are frozen as garbage
    port = served(0.0, (header,))
    for number in range(4):
        link = asked(port)
        assert answer(link) == b"HTTP/1.1 200"
        if number % 2:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        link.close()
    until(are_gone)
