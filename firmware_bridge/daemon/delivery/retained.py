"""Publishes the retained state topics: conflated, the latest wins, all of them again at every connect."""

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
    """Sends what `states()` gives (topic -> value) whenever it differs from what the broker has.

    A value does not change: the very one that was sent is not even encoded again. `head()` gives the fields every
    message carries. Call `changed` after anything that may matter.
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
        """Publish everything again: the broker is there."""
        self._up = True
        self._sent.clear()
        self.flush()

    def down(self) -> None:
        """The broker is gone."""
        self._up = False

    def changed(self) -> None:
        """Something may have changed: send it soon."""
        if self._up and self._timer is None:
            self._timer = self._loop.call_later(CONFLATE_S, self.flush)

    def flush(self) -> None:
        """Send now what differs."""
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
        """Send nothing more."""
        if self._timer:
            self._timer.cancel()
        self._up = False
