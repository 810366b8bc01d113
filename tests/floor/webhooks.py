"""A real receiver of webhooks that behaves as it is told, and verifies what it takes."""

from __future__ import annotations

import hmac
import json
import socket
import ssl
import threading
import time
from base64 import b64decode, b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from tests.kit.patience import HANG_S

KEY: Final = bytes(range(32))
KEY_TEXT: Final = f"whsec_{b64encode(KEY).decode()}\n"


class Receiver:
    """Takes requests. acts: what it does with the next ones, in turn; afterwards it takes each.

    `"hang"`: no answer; `"drip"`: a byte of an answer now and then; `"die"`: it ends the connection; `"take"`: the
    same, but it has kept the request; a number: it answers that.
    """

    def __init__(self) -> None:
        self.acts: list[str | int] = []
        self.events: list[dict[str, Any]] = []
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.refused: list[dict[str, str]] = []
        self.port = 0
        self.ended = threading.Event()
        self._lock = threading.Lock()

    def handle(self, handler: BaseHTTPRequestHandler) -> None:
        body = handler.rfile.read(int(handler.headers["content-length"]))
        headers = {name.lower(): value for name, value in handler.headers.items()}
        with self._lock:
            act = self.acts.pop(0) if self.acts else 204
            if act in (200, 204, "take"):
                self.take(headers, body)
            else:
                self.refused.append(headers)
        if isinstance(act, int):
            handler.send_response(act)
            handler.send_header("location", "/elsewhere")
            handler.send_header("content-length", "0")
            handler.end_headers()
            return
        if act == "drip":
            for byte in b"HTTP/1.1 200 OK\r\nx: " + b"x" * 600:
                handler.wfile.write(bytes([byte]))
                if self.ended.wait(0.1):
                    break
        elif act == "hang":
            self.ended.wait(HANG_S)
        handler.connection.shutdown(socket.SHUT_RDWR)

    def take(self, headers: dict[str, str], body: bytes) -> None:
        """Keep a request whose signature is good, as docs/forward.md says."""
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        kind, _, mac = headers["webhook-signature"].partition(",")
        assert kind == "v1"
        assert hmac.compare_digest(b64decode(mac), hmac.digest(KEY, signed, sha256))
        assert abs(time.time() - int(headers["webhook-timestamp"])) < HANG_S
        self.requests.append((headers, body))
        found = json.loads(body)
        self.events += found if isinstance(found, list) else [found]

    @property
    def ids(self) -> list[tuple[str, str]]:
        """Source and id of each event, as often as it came."""
        return [(each["source"], each["id"]) for each in self.events]


@contextmanager
def receiving(receiver: Receiver, tls: ssl.SSLContext | None = None) -> Iterator[Receiver]:
    """A receiver at a port, the one that it had before."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            receiver.handle(self)

        def log_message(self, *_: object) -> None:
            pass

    class Server(ThreadingHTTPServer):
        allow_reuse_address = True
        daemon_threads = True

        def handle_error(self, *_: object) -> None:
            pass  # a sender that was killed

    with Server(("127.0.0.1", receiver.port), Handler) as server:
        if tls:
            server.socket = tls.wrap_socket(server.socket, server_side=True)
        receiver.port = server.server_address[1]
        receiver.ended.clear()
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        thread.start()
        try:
            yield receiver
        finally:
            receiver.ended.set()
            server.shutdown()
            thread.join()
