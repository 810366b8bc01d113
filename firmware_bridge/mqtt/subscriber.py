"""A subscribing link: its session stays at the broker, and messages are acknowledged by hand."""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence

from paho.mqtt.reasoncodes import ReasonCode

from firmware_bridge.facts.book.refusals import Phrase
from firmware_bridge.mqtt.connection import Connection
from firmware_bridge.mqtt.link import Link
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming, Message, NotConnected, Ticket


class Reader:
    """Callbacks of a subscriber, on its loop."""

    def up(self, kept: bool) -> None:
        """Handle each reconnect; kept: the broker had the session."""

    def down(self, why: str, code: int) -> None:
        """Handle each failed attempt; code: the reason code of a refusal, else 0."""

    def subscribed(self, refused: Sequence[str], left: bool) -> None:
        """Handle each SUBACK. refused: topics newly refused; left: whether any topic is refused."""

    def handle(self, message: Incoming) -> None:
        """Handle a message; the broker sends it again until `Subscriber.acknowledge`."""

    def rejected(self, topic: str, why: str) -> None:
        """Handle the broker's refusal of a message to `topic` (MQTT 5)."""


class Subscriber(Link):
    """Reads `topics`, each at its QoS (None: unsubscribed). Retries after 15 s at most.

    A message of a connection that ended is not acknowledged on a later one: it comes again there. say: the words of a
    failure for the reader.
    """

    def __init__(
        self,
        settings: BrokerSettings,
        say: Callable[[Phrase], str],
        topics: Mapping[str, int | None],
        reader: Reader,
        loop: asyncio.AbstractEventLoop,
    ) -> None:
        super().__init__(settings, loop, on_delivered=self._sent, on_message=reader.handle, say=say)
        self._read, self._reader, self._code = dict(topics), reader, 0
        self._waiting: list[Message] = []
        self._in_flight: dict[int, Message] = {}

    @property
    def unanswered(self) -> int:
        """How many of the messages that were published the broker has not answered; 0 without a connection."""
        return len(self._connection.unacked) if self._connection else 0

    def read(self, topics: Mapping[str, int | None]) -> None:
        """Read other topics too."""
        self._read |= topics
        if self.up and self._connection is not None:
            self._connection.subscribe(topics)

    def acknowledge(self, tickets: Iterable[Ticket]) -> None:
        """Acknowledge messages, in the order in which they came; those of an older connection come again."""
        if self._connection is not None:
            self._connection.acknowledge(tickets)

    def send(self, message: Message) -> None:
        """Publish a message (QoS 1) once there is a connection; again after one that ended before its PUBACK."""
        try:
            self._in_flight[self.publish(message.topic, message.payload, retain=message.retain)] = message
        except NotConnected:
            self._waiting.append(message)

    def pause(self) -> None:
        """Close the connection without DISCONNECT, until `start`."""
        self.number += 1
        if self._next is not None:
            self._next.cancel()
        self._drop()

    def _begin(self, connection: Connection, kept: bool) -> None:
        connection.subscribe(self._read)
        self._reader.up(kept)
        waiting, self._waiting = [*self._in_flight.values(), *self._waiting], []
        self._in_flight.clear()
        for each in waiting:
            self.send(each)

    def _sent(self, mid: int) -> None:
        self._in_flight.pop(mid, None)

    def _refused(self, code: ReasonCode) -> None:
        self._code = code.value
        super()._refused(code)
        self._code = 0

    def _rejected(self, topic: str, code: ReasonCode) -> None:
        self._reader.rejected(topic, str(code))

    def _subscribed(self, refused: Mapping[str, ReasonCode], left: Mapping[str, ReasonCode]) -> None:
        self._reader.subscribed(list(refused), bool(left))

    def _retry(self, why: Phrase, **how: bool) -> None:
        super()._retry(why, refused=how.get("refused", False))

    def _report(self, why: Phrase) -> None:
        self._reader.down(self._say(why), self._code)
