"""Witnesses: without a server, and behind a real one, honest and lying."""

from __future__ import annotations

import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from threading import Thread

from firmware_bridge.floor.serving import listening, server
from firmware_bridge.floor.verified.feeder import Post, Reply
from firmware_bridge.floor.witness import keys
from firmware_bridge.floor.witness.config import WitnessSection
from firmware_bridge.floor.witness.keeper import Evidence, Keeper
from firmware_bridge.floor.witness.request import parse
from firmware_bridge.floor.witness.service import App
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


class Served(Here):
    """A witness behind a real server at a port of this machine, until `stop`; `start` serves it again, as it was."""

    def __init__(self, folder: Path, name: str, logs: Sequence[Key], seed: int) -> None:
        super().__init__(folder, name, logs, seed)
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        self._listener = listening("127.0.0.1", self._port)
        self._port = self._listener.getsockname()[1]
        self._server = server(App(self._witness, WitnessSection(name=self.key.name)), 100, lifespan="off")
        self._thread = Thread(target=self._server.run, kwargs={"sockets": [self._listener]}, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(10)
        self._listener.close()


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
