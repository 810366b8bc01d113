"""Keys of backends, and the orders that they sign."""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import count
from typing import Any

from firmware_bridge.record.envelope import wrapped
from firmware_bridge.record.signer import signer
from tests.kit.backend import Backend

COMMAND = "shoe/T07/command"


class OrderKey:
    """A key that is known by its name, and the counts that it has used: from 1 on, unless a test says another one."""

    def __init__(self, name: str = "cage", *allows: str, seed: str = "", two_people: bool = False) -> None:
        self.name, self.allows, self._two_people = name, list(allows), two_people
        self._signer = signer(name, sha256((seed or name).encode()).digest())
        self._counts, self._ids = count(1), count(1)

    @property
    def row(self) -> dict[str, Any]:
        """Its table `[[orders]]`."""
        row = {"name": self.name, "key": self._signer.key.vkey, "allows": self.allows}
        return row | ({"two_people": True} if self._two_people else {})

    def seal(self, text: str, topic: str = COMMAND) -> bytes:
        """The envelope of a text."""
        return wrapped(self._signer, topic, text)

    def order(self, as_of: dict[str, Any] | None, topic: str = COMMAND, **fields: Any) -> bytes:
        """An order in its envelope, with the next id and count where it has none."""
        fields = {"id": f"{self.name}-{next(self._ids)}", "count": next(self._counts)} | fields
        return self.seal(json.dumps(fields | ({"as_of": as_of} if as_of else {})), topic)


def as_of(backend: Backend, table: str = "T07") -> dict[str, Any]:
    """The newest entry that a backend has heard of, as an order names it."""
    with backend._news:
        heard = [each.payload for each in backend.received if each.topic.startswith(f"shoe/{table}/")]
    states = [each for each in heard if "as_of" in each and "boot" in each]
    newest = max(states, key=lambda each: (each["shoe"], each["as_of"]))
    boot = [each["boot"] for each in states if "state" in each][-1:] or [newest["boot"]]
    return {"journal": newest["journal"], "seq": newest["as_of"], "boot": boot[0]}


def answer(backend: Backend, payload: bytes, topic: str = COMMAND, *, number: int | None = None) -> dict[str, Any]:
    """Send a message, and the answer to it: the next one on `reply`."""
    before = len(backend.on("reply")) if number is None else number
    backend.publish(topic, payload)
    backend.wait_until(lambda: len(backend.on("reply")) > before)
    return backend.on("reply")[before]
