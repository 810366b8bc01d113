"""Where messages come from: what a source of them can do, whatever the broker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol


class Delivery(NamedTuple):
    """A message that the broker keeps until it is acknowledged. ticket: what the source knows it by.

    retained: whether it was said before we came, and the broker had kept it.
    """

    topic: str
    body: bytes
    ticket: tuple[int, int] = (0, 0)
    retained: bool = False


class Source(Protocol):
    """A broker that repeats what is not acknowledged; it connects by itself, and again when it lost the broker."""

    def receive(self, most: int, wait_s: float) -> list[Delivery]:
        """What came, at most so many messages; none after `wait_s` seconds of nothing."""

    def acknowledge(self, deliveries: Sequence[Delivery]) -> None:
        """Let the broker forget them; those of a lost connection come again."""

    def publish(self, topic: str, payload: bytes) -> None:
        """Send a message at QoS 1; it is lost where the broker is."""

    def drop(self) -> None:
        """Leave the broker for now, without a word: what is not acknowledged comes again."""

    def close(self) -> None:
        """Leave the broker in order."""
