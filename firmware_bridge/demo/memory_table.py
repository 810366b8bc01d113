"""A table in memory: inputs in, journal lines and retained topics out, the same bytes every time."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from typing import Any

import msgspec
from msgspec import Raw

from firmware_bridge.facts import inputs
from firmware_bridge.facts.wire import StateHead
from firmware_bridge.journal.line import FIRST_CHAIN, Line, seal
from firmware_bridge.shoe import Judge, Shoe, step
from firmware_bridge.shoe.handlers.disclosure import deadline
from firmware_bridge.topics.own import OwnTopics
from firmware_bridge.topics.state import snapshots

_encode = msgspec.json.Encoder().encode


class MemoryTable:
    """Takes inputs as the daemon does, without clock, disk and hardware; `shoe` is the state they leave.

    name, boot: the table's name and boot id in messages. nonces: what the counted nonces are made of.
    """

    def __init__(self, shoe: Shoe, name: str, boot: str, nonces: str) -> None:
        self.shoe, self.name, self.boot, self.chain = shoe, name, boot, FIRST_CHAIN
        self._nonces = counted(nonces)

    def take(self, fact: inputs.AnyInput, judge: Judge | None = None) -> Line | None:
        """The journal line of an input, None where it has no events. judge: what gives the events, not `decide`."""
        made = step(self.shoe, fact, self.name, self.boot, judge)
        if made is None:
            return None
        line = seal(made.entry, self.chain)
        self.shoe, self.chain = made.shoe, line.chain
        return line

    def nonce(self) -> str:
        """The next nonce."""
        return next(self._nonces)

    def moments(self, end: int) -> Iterator[int]:
        """The moments up to `end`, ms, that the shoe waits for; the caller takes an input at each before the next."""
        while (moment := deadline(self.shoe)) is not None and moment <= end:
            yield moment


def counted(name: str) -> Iterator[str]:
    """Nonces, 32 hex digits each, the same in every run."""
    return (sha256(f"{name} {n}".encode()).hexdigest()[:32] for n in count(1))


class Retained:
    """Remembers what each retained topic holds."""

    def __init__(self) -> None:
        self._own = OwnTopics()
        self._held: dict[str, Any] = {}
        self._said: dict[str, bytes] = {}

    def changed(self, line: Line, shoe: Shoe) -> Iterator[tuple[str, bytes]]:
        """Topic and payload of each state that `line` changed; `shoe` is the shoe after it."""
        public = line.public
        head = _encode(
            StateHead(public.v, public.table, public.shoe, public.journal, public.seq, public.at, public.boot)
        )
        for topic, value in snapshots(shoe, own=self._own).items():
            if self._held.get(topic) is value:
                continue
            body = bytes(value) if isinstance(value, Raw) else _encode(value)
            if self._said.get(topic) != body:
                self._held[topic], self._said[topic] = value, body
                yield topic, b"%b,%b" % (head[:-1], body[1:])
