"""Interface of a source of messages, for any broker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from firmware_bridge.floor.record.quota import excerpt, measures

LARGEST: Final = 65_536
"""Most bytes of a message that is read; a table's are far below."""


class Delivery(NamedTuple):
    """A message that the broker keeps until it is acknowledged. ticket: identifies it to the source.

    retained: whether the broker had retained it from before we subscribed. cut: why `body` is not the whole one, "" if
    it is.
    """

    topic: str
    body: bytes
    ticket: tuple[int, int] = (0, 0)
    retained: bool = False
    cut: str = ""


def delivery(topic: str, body: bytes, ticket: tuple[int, int] = (0, 0), *, retained: bool = False) -> Delivery:
    """Return a message as it came, cut where it is longer than any of a table."""
    if len(body) <= LARGEST:
        return Delivery(topic, body, ticket, retained)
    why = f"longer than {LARGEST} bytes, cut: {measures(body)}"
    return Delivery(topic, excerpt(body), ticket, retained, why)


class Source(Protocol):
    """A broker that redelivers what is not acknowledged; connects, and reconnects, by itself.

    fault: why nothing comes now; "" if messages can come.
    """

    @property
    def fault(self) -> str: ...

    def receive(self, most: int, wait_s: float) -> list[Delivery]:
        """Return the next messages, at most `most`; [] after `wait_s` seconds without one."""

    def acknowledge(self, deliveries: Sequence[Delivery]) -> None:
        """Acknowledge messages; those of a lost connection come again."""

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Send a message that may be lost with the connection. retain: the broker keeps it, if it can."""

    def drop(self) -> None:
        """Drop the connection without a disconnect: what is not acknowledged comes again."""

    def close(self) -> None:
        """Disconnect."""
