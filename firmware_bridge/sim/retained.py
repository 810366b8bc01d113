"""The retained topics as they change along a journal, for a reader without a broker."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Raw

from firmware_bridge.facts.wire import StateHead
from firmware_bridge.journal.line import Line
from firmware_bridge.shoe import Shoe
from firmware_bridge.topics.own import OwnTopics
from firmware_bridge.topics.state import snapshots

_encode = msgspec.json.Encoder().encode


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
