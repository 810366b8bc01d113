"""Witnesses: without a server, and behind one of the standard library, honest and lying.

`shoe-floor witness` itself needs uvicorn: tests of it are in tests/floor_whole.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

from firmware_bridge.floor.verified.feeder import Post, Reply
from firmware_bridge.floor.witness import keys
from firmware_bridge.floor.witness.keeper import Evidence, Keeper
from firmware_bridge.floor.witness.request import PATH, parse
from firmware_bridge.floor.witness.witness import Answer, LogKey, Witness
from firmware_bridge.record.verify import Key


class Here:
    """A witness in this process, with its file in `folder`."""

    def __init__(self, folder: Path, name: str, logs: Sequence[Key], seed: int) -> None:
        folder = folder / f"witness-{seed}"
        folder.mkdir(parents=True)
        (folder / "key").write_bytes(bytes([100 + seed]) * 32)
        signer = keys.load(name, folder / "key")
        self.key = signer.key
        self._keeper = Keeper(folder / "witness.db")
        self._witness = Witness(signer, [LogKey(each) for each in logs], self._keeper)

    def post(self, post: Post) -> Reply:
        answer = self._witness.add_checkpoint(post.body)
        return Reply(answer.status, answer.body.encode())

    def get(self, origin: str) -> Reply:
        answer = self._witness.newest(sha256(origin.encode()).hexdigest())
        return Reply(answer.status, answer.body.encode())

    def evidence(self) -> list[Evidence]:
        return self._keeper.evidence()

    def close(self) -> None:
        """Close its file."""
        self._keeper.close()


class Served(Here):
    """A witness behind a server at a port of this machine, until `stop`; `start` serves it again, as it was."""

    def __init__(self, folder: Path, name: str, logs: Sequence[Key], seed: int) -> None:
        super().__init__(folder, name, logs, seed)
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        self._server = _Server(("127.0.0.1", self._port), _Handler)
        self._server.witness = self._witness
        self._port = self._server.server_address[1]
        self._thread = Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Answer nothing more, over open connections too."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    witness: Witness
    daemon_threads = True

    def __init__(self, *given: Any) -> None:
        self.open = set[socket.socket]()
        super().__init__(*given)

    def process_request(self, request: Any, client_address: Any) -> None:
        self.open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        super().server_close()
        for each in tuple(self.open):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        self._answer(self.server.witness.add_checkpoint(body) if self.path == PATH else Answer(404, ""))

    def do_GET(self) -> None:
        self._answer(self.server.witness.newest(self.path.split("/")[1]))

    def _answer(self, answer: Answer) -> None:
        body = answer.body.encode()
        self.send_response(answer.status)
        self.send_header("content-type", answer.kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


class Liar(Served):
    """A witness that cosigns whatever is signed by the log, and shows each asker the history that he knows.

    shows: the note that it answers to GET with; None for the one it cosigned last.
    """

    shows: str | None = None

    def start(self) -> None:
        witness = self._witness

        def add_checkpoint(body: bytes) -> Answer:
            note = parse(body).note
            line = witness._cosignature(int(time.time()), note.text)
            self.last = f"{note.text}\n{''.join(each.line for each in note.signatures)}{line}"
            return Answer(200, line)

        def newest(_: str) -> Answer:
            return Answer(200, self.shows or self.last)

        witness.add_checkpoint, witness.newest = add_checkpoint, newest  # type: ignore[method-assign, assignment]
        super().start()

    def cosigned(self, note: str) -> str:
        """A note that it cosigns for somebody else."""
        before = getattr(self, "last", "")
        self._witness.add_checkpoint(f"old 0\n\n{note}".encode())
        made, self.last = self.last, before
        return made
