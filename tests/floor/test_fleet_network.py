"""The network of a fleet: it hands on, it is cut and mended, and it finds the node that is there."""

from __future__ import annotations

import asyncio
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from scripts.tools.fleet.child import Child
from scripts.tools.fleet.engines import answers
from tests.kit.broker import free_port
from tests.kit.patience import HANG_S

SHORT_S = 0.5


@pytest.fixture
def echo() -> Iterator[int]:
    """A server that says what it hears; its port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve(sock: socket.socket) -> None:
            with sock:
                while heard := sock.recv(65_536):
                    sock.sendall(heard)

        def accept() -> None:
            while True:
                try:
                    sock, _ = server.accept()
                except OSError:
                    return
                threading.Thread(target=serve, args=(sock,), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        yield int(server.getsockname()[1])


async def until_it_answers(port: int, *, answering: bool = True) -> None:
    async with asyncio.timeout(HANG_S):
        while await asyncio.to_thread(answers, port) != answering:
            await asyncio.sleep(0.05)


def said(sock: socket.socket, words: bytes) -> bytes:
    sock.sendall(words)
    return heard(sock, len(words))


def heard(sock: socket.socket, length: int) -> bytes:
    came = b""
    while len(came) < length:
        came += sock.recv(length - len(came))
    return came


def test_what_is_said_while_the_network_is_cut_comes_when_it_is_mended(tmp_path: Path, echo: int) -> None:
    port, dead = free_port(), free_port()
    ways = [sys.executable, "-m", "scripts.tools.fleet.proxy", f"{port}={dead},{echo}"]
    network = Child("network", ways, tmp_path / "log")

    async def play() -> None:
        await network.start()
        try:
            await until_it_answers(port)
            with closing(socket.create_connection(("127.0.0.1", port), HANG_S)) as sock:
                assert await asyncio.to_thread(said, sock, b"before") == b"before"
                network.send(b"cut")
                await until_it_answers(port, answering=False)
                sock.settimeout(SHORT_S)
                with pytest.raises(TimeoutError):
                    await asyncio.to_thread(said, sock, b"meanwhile")
                sock.settimeout(HANG_S)
                network.send(b"mend")
                assert await asyncio.to_thread(heard, sock, 9) == b"meanwhile"
                large = bytes(3_000_000)
                sender = threading.Thread(target=sock.sendall, args=(large,))
                sender.start()
                assert await asyncio.to_thread(heard, sock, len(large)) == large
                sender.join(HANG_S)
        finally:
            await network.end()

    asyncio.run(play())
    assert (tmp_path / "log").read_text() == ""
