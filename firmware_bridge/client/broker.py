"""The connection to the broker, in a thread of its own."""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from threading import Lock, Thread
from typing import Any, Final, NamedTuple

from firmware_bridge.client.failures import sentence
from firmware_bridge.client.orders import Sender, no_answer
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.orders import Answer, Order
from firmware_bridge.mqtt.reasons import LOGIN
from firmware_bridge.mqtt.settings import BrokerSettings, Incoming, Message, Ticket
from firmware_bridge.mqtt.subscriber import Reader, Subscriber

log = logging.getLogger(__name__)

KEEPALIVE_S: Final = 75
"""Keep-alive: a ping after 30 s of silence, and as long for its answer."""

THE_BROKERS: Final = 65_535
"""No window of ours: MQTT 3.1.1 has only the broker's."""


class FloorError(BridgeError, ConnectionError):
    """The broker refuses what a floor needs."""


class Address(NamedTuple):
    """Address of a broker, and our login. by: our client id, different for each receiver of a broker."""

    by: str
    host: str = "127.0.0.1"
    port: int = 1883
    username: str | None = None
    password: str | None = None
    tls: ssl.SSLContext | None = None

    def __repr__(self) -> str:
        """Return the fields without the password."""
        return f"Address({self.by!r}, {self.host}:{self.port}, username={self.username!r})"


class Session(Reader):
    """A persistent session of MQTT 3.1.1, which every broker speaks; it reconnects by itself.

    trouble: why it is not connected, and what to do; empty if it is connected; each is logged once. wake: called from
    another thread when there is news. connects: connections so far. The broker redelivers a message until it is
    `done`.
    """

    def __init__(self, address: Address, wake: Callable[[], None]) -> None:
        self.incoming: deque[Incoming] = deque()
        self.error: FloorError | None = None
        self.trouble = "not connected yet"
        self.answered: Callable[[str, bytes], None] = lambda topic, payload: None
        self.seen: Callable[[str, bytes], None] | None = None
        self.connects = 0
        self._wake, self._by, self._lock = wake, address.by, Lock()
        self._settings = BrokerSettings(
            client_id=address.by, host=address.host, port=address.port, username=address.username,
            password=address.password.encode() if address.password is not None else None, tls=address.tls,
            keepalive_s=KEEPALIVE_S, protocol=4, only_311=True, keeps_session=True, window=THE_BROKERS,
        )  # fmt: skip
        self._link: Subscriber | None = None

    def read(self, topics: dict[str, int | None]) -> None:
        """Subscribe. topics: filter -> QoS, None to unsubscribe. The first call connects, in a thread of its own."""
        with self._lock:
            if self._link is not None:
                self._call(self._link.read, topics)
                return
            self._loop = asyncio.SelectorEventLoop()
            self._link = Subscriber(self._settings, sentence, topics, self, self._loop)
            self._thread = Thread(target=self._loop.run_forever, name="broker", daemon=True)
            self._thread.start()
            self._call(self._link.start)

    def close(self) -> None:
        """Disconnect; the broker keeps the session."""
        with self._lock:
            if self._link is None or self._loop.is_closed():
                return
            asyncio.run_coroutine_threadsafe(self._link.close(None), self._loop).result()
            self._call(self._loop.stop)
            self._thread.join()
            self._loop.close()
            self.trouble = "closed"

    def remark(self, text: str) -> None:
        """Log a warning about what came."""
        log.warning("%s", text)

    @property
    def is_connected(self) -> bool:
        """Whether there is a connection now."""
        return self._link is not None and self._link.up

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Send at QoS 1, as soon as there is a connection; do nothing before `read`."""
        if self._link is not None:
            self._call(self._link.send, Message(topic, payload, retain=retain))

    def done(self, tickets: list[Ticket]) -> None:
        """Acknowledge these messages, in the order in which they came."""
        if tickets and self._link is not None:
            self._call(self._link.acknowledge, tuple(tickets))

    def _call(self, act: Callable[..., object], *given: Any) -> None:
        """Call a function in the thread; do nothing once closed."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(act, *given)

    def up(self, kept: bool) -> None:
        self.error = None
        self.connects += 1
        assert self._link is not None
        if self._link.shared_name is None:
            self.trouble = ""
            log.info("connected to %s as %s, session %s", self._settings.address, self._by, "kept" if kept else "new")

    def down(self, why: str, code: int) -> None:
        if code in LOGIN:
            self.trouble = why
            self._fail(why, "check user name and password")
        elif why != self.trouble:
            self.trouble = why
            log.warning("%s", why)

    def subscribed(self, refused: Sequence[str], left: bool) -> None:
        for topic in refused:
            self._fail(f"the broker does not let {self._by} read {topic}", "allow it in the broker's ACL")

    def handle(self, message: Incoming) -> None:
        if message.topic.endswith("/table") and self.seen:
            self.seen(message.topic, message.payload)
            return
        if message.topic.endswith("/reply"):
            self.answered(message.topic, message.payload)
        self.incoming.append(message)
        self._wake()

    def _fail(self, what: str, hint: str) -> None:
        self.error = FloorError(what, hint)
        self._wake()


async def asked(sender: Sender, table: str, order: Order, answer_s: float, person: str = "", id: str = "") -> Answer:
    """Return the answer to an order, sent again under its id until it comes. person: as for `Sender.send`. Raises
    NoAnswer.
    """
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[Answer] = loop.create_future()

    def found(answer: Answer) -> None:
        if not answered.done():
            answered.set_result(answer)

    def heard(answer: Answer) -> None:
        loop.call_soon_threadsafe(found, answer)

    id = sender.begin(heard, id)
    try:
        async with asyncio.timeout(answer_s):
            while True:
                await asyncio.wait((answered,), timeout=sender.send(table, order, id, person))
                if answered.done():
                    return answered.result()
    except TimeoutError:
        raise no_answer(table, order, id, answer_s) from None
    finally:
        sender.end(id)
