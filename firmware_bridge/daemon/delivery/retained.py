"""Publishes the retained state topics: conflated, the latest wins, all again at every connect."""

import asyncio
from collections.abc import Callable
from typing import Any, Final

import msgspec

from firmware_bridge.facts.wire import joined
from firmware_bridge.mqtt.settings import NotConnected

CONFLATE_S: Final = 0.05
"""States that change faster than this are sent once."""

_NOTHING: Final = object()

Publish = Callable[[str, bytes], int]
"""`publish(topic, payload)`: retained, QoS 1."""


class States:
    """Sends the values of `states()` (topic -> value) that differ from those at the broker.

    Values are immutable: the same object is not encoded again. `head()` gives the fields of every message. Call
    `changed` after anything that may change a value.
    """

    def __init__(
        self,
        states: Callable[[], dict[str, Any]],
        head: Callable[[], Any],
        publish: Publish,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        self._states, self._head, self._publish, self._loop = states, head, publish, loop
        self._sent: dict[str, tuple[Any, bytes]] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._up = False

    def up(self) -> None:
        """Publishes everything again, after each reconnect."""
        self._up = True
        self._sent.clear()
        self.flush()

    def down(self) -> None:
        """Called when the connection is lost."""
        self._up = False

    def changed(self) -> None:
        """Called when a value may have changed: sends it within `CONFLATE_S`."""
        if self._up and self._timer is None:
            self._timer = self._loop.call_later(CONFLATE_S, self.flush)

    def flush(self) -> None:
        """Sends the changed values now."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if not self._up:
            return
        head = self._head()
        for topic, value in self._states().items():
            before, known = self._sent.get(topic, (_NOTHING, b""))
            if value is before or (body := msgspec.json.encode(value)) == known:
                continue
            try:
                self._publish(topic, joined(head, msgspec.Raw(body)))
            except NotConnected:
                return
            self._sent[topic] = value, body

    def close(self) -> None:
        """Stops sending."""
        if self._timer:
            self._timer.cancel()
        self._up = False
