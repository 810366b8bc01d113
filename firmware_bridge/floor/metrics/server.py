"""A small HTTP server for one page of text: no request of it can hold up another for long."""

from __future__ import annotations

import logging
import socket
import socketserver
from collections.abc import Callable
from threading import BoundedSemaphore, Thread
from time import monotonic
from typing import Any, Final

from firmware_bridge.errors import BridgeError
from firmware_bridge.floor.metrics.text import wanted

log = logging.getLogger(__name__)

PATH: Final = "/metrics"

REQUEST_S: Final = 5.0
"""How long a request may take to arrive."""

ANSWER_S: Final = 20.0
"""How long an answer may take to be fetched."""

LONGEST: Final = 16 * 1024
"""Bytes of the longest request."""

AT_ONCE: Final = 8
"""Requests that are answered at a time; more are turned away."""


class PortTaken(BridgeError, OSError):
    """The address that the metrics are asked for at cannot be had."""


class Server:
    """Answers GET /metrics at an address from `start` to `close`. page: makes the text of a content type.

    Raises PortTaken.
    """

    def __init__(self, host: str, port: int, page: Callable[[str], str]) -> None:
        try:
            family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
            self._server = _server(family)((host, port), _handler(page))
        except OSError as error:
            what = f"[metrics] {host}:{port} cannot be listened at ({error.strerror or error})"
            raise PortTaken(what, "name another port, or an address of this machine, in floor.toml") from None
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.2}, daemon=True)

    @property
    def port(self) -> int:
        """The port it has."""
        return int(self._server.server_address[1])

    def start(self) -> None:
        """Answer from now on, in threads of its own."""
        self._thread.start()

    def close(self) -> None:
        """Answer no more."""
        self._server.shutdown()
        self._server.server_close()


def answer(request: bytes, page: Callable[[str], str]) -> bytes:
    """The answer to a request, of which the head is enough."""
    first, *fields = request.decode("latin-1").split("\r\n\r\n")[0].split("\r\n")
    method, _, rest = first.partition(" ")
    path, _, protocol = rest.partition(" ")
    if not protocol.startswith("HTTP/1."):
        return _response("400 Bad Request", "this is no request\n")
    if method not in ("GET", "HEAD"):
        return _response("405 Method Not Allowed", "only GET\n", allow="GET, HEAD")
    if path.split("?")[0] != PATH:
        return _response("404 Not Found", f"the metrics are at {PATH}\n", head=method == "HEAD")
    accept = ",".join(value for name, _, value in (each.partition(":") for each in fields) if name.lower() == "accept")
    kind = wanted(accept)
    return _response("200 OK", page(kind), kind, head=method == "HEAD")


def _response(
    status: str, body: str, kind: str = "text/plain; charset=utf-8", *, allow: str = "", head: bool = False
) -> bytes:
    content = body.encode()
    lines = [f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(content)}", "Connection: close"]
    if allow:
        lines.append(f"Allow: {allow}")
    lines += ("X-Content-Type-Options: nosniff", "", "")
    return "\r\n".join(lines).encode() + (b"" if head else content)


def _server(family: int) -> type[socketserver.TCPServer]:
    class Listening(socketserver.ThreadingTCPServer):
        address_family = family
        allow_reuse_address = True
        daemon_threads = True
        block_on_close = False
        request_queue_size = 64
        _free = BoundedSemaphore(AT_ONCE)

        def process_request_thread(self, request: Any, client_address: Any) -> None:
            try:
                super().process_request_thread(request, client_address)
            finally:
                self._free.release()

        def process_request(self, request: Any, client_address: Any) -> None:
            if not self._free.acquire(blocking=False):
                self.shutdown_request(request)
                return
            try:
                super().process_request(request, client_address)
            except RuntimeError:  # no thread can be had
                self._free.release()
                self.shutdown_request(request)

        def handle_error(self, request: Any, client_address: Any) -> None:
            log.info("a request was not answered", exc_info=True)

    return Listening


def _handler(page: Callable[[str], str]) -> type[socketserver.BaseRequestHandler]:
    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            if request := _request(self.request):
                self.request.settimeout(ANSWER_S)
                self.request.sendall(answer(request, page))

    return Handler


def _request(connection: socket.socket) -> bytes | None:
    """The head of a request; None where it does not come in time, or is too long."""
    give_up, came = monotonic() + REQUEST_S, b""
    while b"\r\n\r\n" not in came:
        left = give_up - monotonic()
        if left <= 0 or len(came) > LONGEST:
            return None
        connection.settimeout(left)
        try:
            part = connection.recv(4096)
        except OSError:
            return None
        if not part:
            return None
        came += part
    return came
