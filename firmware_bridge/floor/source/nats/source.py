"""A NATS cluster as a source: a durable consumer on the stream in which its MQTT listener keeps messages."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Sequence
from contextlib import suppress
from itertools import count
from time import monotonic
from typing import Final

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.js import JetStreamContext

from firmware_bridge.floor.config import NatsSection
from firmware_bridge.floor.source import Delivery, delivery
from firmware_bridge.floor.source.nats import consumer
from firmware_bridge.floor.source.nats.connection import AWAY, CONNECT_S, Worker, connected, words
from firmware_bridge.floor.source.nats.subjects import AT_QOS_1, KEPT, STREAM, subject, topic
from firmware_bridge.mqtt.backoff import Doubling

log = logging.getLogger(__name__)

LOOK_S: Final = 10.0
"""Time without a message before the consumer is checked, to leave a node that lost its cluster."""

FIRST_S, SLOWEST_S = 0.1, 5.0
"""Longest wait before the second try to connect, and before later ones."""

FLUSH_S: Final = 2
"""Longest wait at the end for the last acknowledgements to be sent."""

WRITE_S: Final = 5.0
"""Longest time for a node to read what is sent, or to end a connection: a frozen one never does."""


class NatsSource:
    """A source of all messages of `topics`, which the consumer keeps, and of the latest ones of `live`.

    live: topics that are published at QoS 0; NATS keeps none of them.
    """

    def __init__(
        self, config: NatsSection, password: bytes | None, topics: Sequence[str], live: Sequence[str] = ()
    ) -> None:
        self._config, self._password, self._topics, self._live = config, password, topics, live
        self._client: Client | None = None
        self._messages: JetStreamContext.PullSubscription | None = None
        self._states: dict[str, Delivery] = {}
        self._replies: dict[int, str] = {}
        self._numbers = count(1)
        self._attempts, self._next, self._heard = 0, 0.0, 0.0
        self._wait = Doubling(FIRST_S, SLOWEST_S)
        self._logged: set[str] = set()
        self._servers = random.sample(config.servers, len(config.servers))
        self._worker = Worker()

    def receive(self, most: int, wait_s: float) -> list[Delivery]:
        """Return the next messages, at most `most`; [] after `wait_s` seconds without one."""
        return self._worker.do(self._received(most, wait_s))

    def acknowledge(self, deliveries: Sequence[Delivery]) -> None:
        """Acknowledge messages; if that is lost, they come again."""
        numbers = [number for _, number in (each.ticket for each in deliveries) if number]
        replies = [self._replies.pop(number) for number in numbers if number in self._replies]
        self._worker.do(self._send([(reply, b"", None) for reply in replies]))

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Send a message at QoS 1, into the stream that the tables' sessions read; without a connection it is lost.

        A cluster retains only what MQTT clients publish: `retain` changes nothing.
        """
        self._worker.do(self._send([(KEPT + subject(topic), payload, AT_QOS_1)]))

    def drop(self) -> None:
        """Drop the connection: what is not acknowledged comes again."""
        self._replies.clear()
        self._worker.do(self._left())

    def close(self) -> None:
        """Disconnect; the consumer stays."""
        self._worker.do(self._left(in_order=True))
        self._worker.close()

    @property
    def fault(self) -> str:
        """Why nothing comes now; "" if messages can come."""
        is_there = self._client is not None and self._client.is_connected and self._messages
        return "" if is_there else "no node of the cluster can be reached"

    async def _received(self, most: int, wait_s: float) -> list[Delivery]:
        if not await self._ready(wait_s):
            return []
        assert self._messages
        came: list[Msg] = []
        try:
            came = await self._messages.fetch(most, timeout=wait_s)
        except TimeoutError:  # nothing came: nats-py raises its own class, and the builtin
            pass
        except AWAY as error:
            self._warn_once(f"no messages can be read: {words(error)}")
            await asyncio.sleep(wait_s)
        if came:
            self._heard = monotonic()
        elif monotonic() - self._heard > LOOK_S and not await self._is_there():
            await self._left()
        received = [self._delivery(each) for each in came]
        return received + [self._states.pop(name) for name in list(self._states)[: most - len(received)]]

    def _delivery(self, message: Msg) -> Delivery:
        number = next(self._numbers)
        self._replies[number] = message.reply
        return delivery(topic(message.subject), message.data, (0, number))

    async def _ready(self, wait_s: float) -> bool:
        """Return whether there is a connection; without one, try to connect if a try is due."""
        if self._client is not None and self._client.is_connected and self._messages:
            return True
        if self._client is not None:
            self._warn_once("the connection to the cluster is lost")
            await self._left()
        if (early := self._next - monotonic()) > 0:
            await asyncio.sleep(min(early, wait_s))
            return False
        server = self._servers[self._attempts % len(self._servers)]
        try:
            self._client = await connected(self._config, self._password, server, self._fault)
            await self._bound(self._client)
        except AWAY as error:
            self._warn_once(f"{server}: {words(error)}")
            await self._left()
            self._later()
            return False
        self._attempts, self._heard = self._attempts % len(self._servers), monotonic()
        self._wait.reset()
        self._logged.clear()
        log.info("connected to %s", server)
        return True

    def _later(self) -> None:
        """Schedule the next try with full jitter; every node is tried once before the wait grows long."""
        self._next = monotonic() + random.random() * self._wait.s
        self._wait.longer()
        self._attempts += 1

    async def _bound(self, client: Client) -> None:
        """Bind to the consumer, and subscribe to the live topics."""
        js, name = client.jetstream(timeout=CONNECT_S), self._config.consumer
        if await consumer.info(js, name) is None:
            done = await consumer.made(js, name, self._topics)
            log.warning("%s only now: earlier messages are asked for; run shoe-floor prepare first next time", done)
        for each in self._live:
            await client.subscribe(subject(each), cb=self._heard_live)
        self._messages = await js.pull_subscribe_bind(name, STREAM)

    async def _heard_live(self, message: Msg) -> None:
        """Keep the latest message of a topic."""
        self._states[message.subject] = delivery(topic(message.subject), message.data)

    async def _is_there(self) -> bool:
        """Return whether the cluster has the consumer."""
        assert self._client
        self._heard = monotonic()
        try:
            found = await consumer.info(self._client.jetstream(timeout=CONNECT_S), self._config.consumer)
        except AWAY as error:
            self._warn_once(f"the consumer cannot be reached: {words(error)}")
            return False
        return found is not None

    async def _send(self, messages: Sequence[tuple[str, bytes, dict[str, str] | None]]) -> None:
        if self._client is None or not self._client.is_connected:
            return
        try:
            async with asyncio.timeout(WRITE_S):
                for to, payload, headers in messages:
                    await self._client.publish(to, payload, headers=headers)
        except AWAY as error:
            self._warn_once(f"the connection to the cluster is lost: {words(error)}")

    async def _left(self, *, in_order: bool = False) -> None:
        client, self._client, self._messages = self._client, None, None
        self._states.clear()
        if client is None:
            return
        with suppress(*AWAY):
            if in_order:
                await client.flush(timeout=FLUSH_S)
        with suppress(*AWAY):
            async with asyncio.timeout(WRITE_S):
                await client.close()

    async def _fault(self, error: Exception) -> None:
        """Log an error that no call raises, such as a missing permission."""
        self._warn_once(words(error))

    def _warn_once(self, what: str) -> None:
        """Log a warning once between two connections."""
        if what not in self._logged:
            self._logged.add(what)
            log.warning("%s", what)
