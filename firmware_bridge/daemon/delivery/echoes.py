"""What has to come back from the broker before anything counts as sent.

An MQTT 3.1.1 broker acknowledges also what its ACL forbids: that a message was taken shows only when it comes back.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Final

WAIT_S: Final = 10.0
"""A message that has not come back for so long was not taken."""


class Echoes:
    """Waits, once a connection, for the first message of each of some topics. late: called with one that stays mute."""

    def __init__(self, late: Callable[[str], None], loop: asyncio.AbstractEventLoop) -> None:
        self._late, self._loop = late, loop
        self._silent: set[str] = set()
        self._first: dict[str, tuple[bytes, asyncio.TimerHandle]] = {}

    def begin(self, topics: Collection[str]) -> None:
        """A connection has begun, on which these topics have to be heard; none where acknowledgements are enough."""
        self.end()
        self._silent = set(topics)

    def end(self) -> None:
        """The connection is gone."""
        self.close()
        self._first.clear()
        self._silent.clear()

    def close(self) -> None:
        """Call nobody any more; what has not come back is awaited still, so that it does not count."""
        for _, timer in self._first.values():
            timer.cancel()

    @property
    def awaited(self) -> bool:
        """Whether a message is out that has not come back."""
        return bool(self._first)

    def sent(self, topic: str, payload: bytes) -> None:
        """A message was published: the first of a topic has to come back."""
        if topic in self._silent and topic not in self._first:
            self._first[topic] = payload, self._loop.call_later(WAIT_S, self._late, topic)

    def heard(self, topic: str, payload: bytes) -> bool:
        """A message came; whether it is the one that was waited for, byte for byte."""
        return topic in self._first and self._first[topic][0] == payload and self.came(topic)

    def came(self, topic: str) -> bool:
        """What stands for the first message of a topic came; whether it was waited for."""
        if topic not in self._first:
            return False
        self._first.pop(topic)[1].cancel()
        self._silent.discard(topic)
        return True
