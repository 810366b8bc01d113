"""Decides on checkpoints, and cosigns those of logs that only grow: the rules of C2SP tlog-witness."""

import logging
import time
from base64 import b64encode
from collections.abc import Callable, Sequence
from hashlib import sha256
from threading import Lock
from typing import Final, NamedTuple

from firmware_bridge.facts.printable import escaped
from firmware_bridge.floor.witness.keeper import Evidence, Held, Keeper
from firmware_bridge.floor.witness.request import Request, parse
from firmware_bridge.record.signer import Signer
from firmware_bridge.record.verify import Key, Refused, check_consistency, cosigned_bytes, verified_checkpoint

log = logging.getLogger(__name__)

TEXT: Final = "text/plain; charset=utf-8"
SIZE: Final = "text/x.tlog.size"


class LogKey(NamedTuple):
    """The key of a log that is watched. until: largest size that it may sign; None for no limit."""

    key: Key
    until: int | None = None


class Answer(NamedTuple):
    """An answer over HTTP. kind: its content type."""

    status: int
    body: str
    kind: str = TEXT


class Witness:
    """A witness with its key, the logs that it knows, and what it has cosigned. For any number of threads.

    clock: seconds since 1970.
    """

    def __init__(
        self, signer: Signer, logs: Sequence[LogKey], keeper: Keeper, clock: Callable[[], float] = time.time
    ) -> None:
        self._signer, self._keeper, self._clock = signer, keeper, clock
        self._logs: dict[str, list[LogKey]] = {}
        for each in logs:
            self._logs.setdefault(each.key.name, []).append(each)
        self._origins = {sha256(origin.encode()).hexdigest(): origin for origin in self._logs}
        self._lock = Lock()

    def add_checkpoint(self, body: bytes) -> Answer:
        """Return the answer to a request. A cosignature is on disk before this returns. Raises KeeperError."""
        try:
            request = parse(body)
        except Refused as error:
            return _refusal(400, error)
        known = self._logs.get(request.stated.origin)
        if known is None:
            return Answer(404, "this log is not known here\n")
        size = request.stated.size
        keys = [key for key, until in known if until is None or size <= until]
        try:
            verified_checkpoint(request.note, keys)
        except Refused as error:
            return _refusal(403, error)
        if request.old > size:
            return Answer(400, f"old {request.old} is above the size of the checkpoint, {size}\n")
        with self._lock, self._keeper.transaction():
            return self._decide(request, body, {(key.name, key.id) for key in keys})

    def newest(self, hashed: str) -> Answer:
        """Return a log's newest note with our cosignature. hashed: hex SHA-256 of its origin. Raises KeeperError."""
        origin = self._origins.get(hashed)
        if origin is None:
            return Answer(404, "this log is not known here\n")
        with self._lock:
            note = self._keeper.held(origin).note
        return Answer(200, note) if note else Answer(404, "nothing of this log was cosigned yet\n")

    def _decide(self, request: Request, body: bytes, keys: set[tuple[str, bytes]]) -> Answer:
        """Return the answer to a request that is signed by one of these keys, within a transaction."""
        stated = request.stated
        held = self._keeper.held(stated.origin)
        if request.old != held.size:
            return Answer(409, f"{held.size}\n", SIZE)
        try:
            check_consistency(held.size, stated.size, held.root, stated.root, request.proof)
        except Refused as error:
            self._keep(request, body, held, str(error))
            return _refusal(422, error)
        at = int(self._clock())
        line = self._cosignature(at, request.note.text)
        signed = [each.line for each in request.note.signatures if (each.name, each.id) in keys]
        note = f"{request.note.text}\n{''.join(signed)}{line}"
        self._keeper.cosign(stated.origin, Held(stated.size, stated.root, note), at)
        return Answer(200, line)

    def _cosignature(self, at: int, text: str) -> str:
        key = self._signer.key
        data = key.id + at.to_bytes(8, "big") + self._signer.sign(cosigned_bytes(at, text))
        return f"\u2014 {key.name} {b64encode(data).decode()}\n"

    def _keep(self, request: Request, body: bytes, held: Held, why: str) -> None:
        """Keep what was refused as evidence, and say it once for each note."""
        stated, at = request.stated, int(self._clock())
        kind = "fork" if stated.size == held.size and stated.root != held.root else "proof"
        evidence = Evidence(
            stated.origin, stated.size, stated.root, kind, request.old, body, request.text, held.note, at, at
        )
        if self._keeper.add_evidence(evidence):
            word = "ALARM: TWO HISTORIES" if kind == "fork" else "ALARM: a proof that does not fit"
            log.critical("%s: %s, size %d: %s; kept as evidence", word, escaped(stated.origin), stated.size, why)


def _refusal(status: int, error: Refused) -> Answer:
    return Answer(status, f"{escaped(str(error))[:300]}\n")
