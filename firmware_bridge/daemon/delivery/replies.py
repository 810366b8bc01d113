"""Sends answers to orders to the broker, a few at a time."""

import logging
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from firmware_bridge.mqtt.settings import Incoming, NotConnected

log = logging.getLogger(__name__)

AT_ONCE: Final = 4
"""Answers in flight at most: they share the broker's limit with cards."""

KEPT: Final = 100
"""Answers that wait at most."""


class Reply(NamedTuple):
    """An answer to the message `asked`, and its topic."""

    topic: str
    payload: bytes
    asked: Incoming


class Replies:
    """Publishes answers, at most `AT_ONCE` unacknowledged. publish: sends one and returns its message id.

    An answer lost with the connection is not sent again: the backend repeats its order with the same id.
    """

    def __init__(self, publish: Callable[[Reply], int]) -> None:
        self._publish = publish
        self._waiting: deque[Reply] = deque()
        self._flying: set[int] = set()

    def send(self, reply: Reply) -> None:
        """Publish an answer, as soon as the ones before it are acknowledged."""
        if len(self._waiting) == KEPT:
            self._waiting.popleft()
            self._lost()
        self._waiting.append(reply)
        self._pump()

    def offer(self, reply: Reply) -> None:
        """Publish an answer if it can be sent at once; else drop it."""
        if not self._waiting and len(self._flying) < AT_ONCE:
            self.send(reply)

    def delivered(self, mid: int) -> bool:
        """Note that the broker acknowledges a message; return whether it was an answer."""
        if mid not in self._flying:
            return False
        self._flying.discard(mid)
        self._pump()
        return True

    def down(self) -> None:
        """Drop all answers, as the connection is lost."""
        if self._waiting:
            self._lost()
        self._waiting.clear()
        self._flying.clear()

    def _pump(self) -> None:
        while self._waiting and len(self._flying) < AT_ONCE:
            try:
                self._flying.add(self._publish(self._waiting.popleft()))
            except NotConnected:
                self._lost()
                return

    def _lost(self) -> None:
        log.warning("an answer could not be sent; the backend will repeat its command with the same id")
