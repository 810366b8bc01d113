"""The connection to the broker, in a thread of paho's: the one module of this room that imports it."""

from __future__ import annotations

import logging
import ssl
import sys
from collections import deque
from collections.abc import Callable
from threading import Lock
from time import monotonic
from typing import Any, NamedTuple

from paho.mqtt.client import Client, ConnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.reasoncodes import ReasonCode

from firmware_bridge.client import words
from firmware_bridge.client.intake import Ticket
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.namesake import Namesake

log = logging.getLogger(__name__)

NO_ENTRY = (134, 135)
"""Reason codes of a CONNACK that a later attempt will not change: bad user name or password, not authorised."""

KEEPALIVE_S = 30
LONGEST_WAIT_S = 15


class FloorError(BridgeError, ConnectionError):
    """The broker does not let us do what a floor needs."""


class Address(NamedTuple):
    """A broker, and who we are there. by: our client id; no two receivers of a broker may have the same."""

    by: str
    host: str = "127.0.0.1"
    port: int = 1883
    username: str | None = None
    password: str | None = None
    tls: ssl.SSLContext | None = None

    def __repr__(self) -> str:
        """Never show the password."""
        return f"Address({self.by!r}, {self.host}:{self.port}, username={self.username!r})"


class Delivery(NamedTuple):
    """A message as the broker sent it. ticket: for `Session.done`, None at QoS 0."""

    topic: str
    payload: bytes
    ticket: Ticket | None


class Session:
    """A persistent session of MQTT 3.1.1, which every broker speaks; it connects again by itself.

    trouble: why it is not connected, and what to do, empty where it is; each is logged once. wake is called, from a
    thread of its own, when there is news. The broker sends a message again until it is `done`.
    """

    def __init__(self, address: Address, wake: Callable[[], None]) -> None:
        self.incoming: deque[Delivery] = deque()
        self.error: FloorError | None = None
        self.trouble = "it did not connect yet"
        self.answered: Callable[[bytes], None] = lambda payload: None
        self._address, self._wake, self._opened = address, wake, False
        self._topics: dict[str, int | None] = {}
        self._asked: dict[int | None, list[str]] = {}
        self._lock, self._generation = Lock(), 0
        self._unacked: dict[int, bool] = {}
        self._client = Client(
            CallbackAPIVersion.VERSION2,
            address.by,
            clean_session=False,
            protocol=MQTTProtocolVersion.MQTTv311,
            manual_ack=True,
        )
        self._client.username_pw_set(address.username, address.password)
        if address.tls is not None:
            self._client.tls_set_context(address.tls)
        self._client.reconnect_delay_set(1, LONGEST_WAIT_S)
        self._client.on_connect, self._client.on_message = self._connected, self._message
        self._client.on_subscribe = self._subscribed
        self._client.on_connect_fail, self._client.on_disconnect = self._unreachable, self._ended
        self._namesake = Namesake()
        self._is_up = self._is_refused = False
        self._where = f"{address.host}:{address.port}"

    def read(self, topics: dict[str, int | None]) -> None:
        """Subscribe to these filters at a QoS, None: no more; connect first, as soon as the broker is there."""
        self._topics |= topics
        if self._opened:
            self._subscribe()
            return
        self._opened = True
        self._client.connect_async(self._address.host, self._address.port, KEEPALIVE_S)
        self._client.loop_start()

    def close(self) -> None:
        """Disconnect in order; the broker keeps the session."""
        if not self._opened:
            return
        self._client.disconnect()
        self._client.loop_stop()
        self._client._reset_sockets()  # paho would leave those that wake its thread to the garbage collector

    @property
    def connects(self) -> int:
        """How often the broker let us in."""
        return self._generation

    @property
    def is_connected(self) -> bool:
        """Whether the broker would get a message now."""
        return self._client.is_connected()

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Send at QoS 1, as soon as there is a connection."""
        self._client.publish(topic, payload, qos=1, retain=retain)

    def done(self, tickets: list[Ticket]) -> None:
        """These messages need not be sent again; the broker is told in the order in which they came."""
        with self._lock:
            for generation, mid in tickets:
                if generation == self._generation and mid in self._unacked:
                    self._unacked[mid] = True
            ready = []
            for mid, is_done in self._unacked.items():
                if not is_done:
                    break
                ready.append(mid)
            for mid in ready:
                del self._unacked[mid]
                self._client.ack(mid, 1)

    def _connected(self, client: Client, _data: Any, flags: ConnectFlags, code: ReasonCode, _properties: Any) -> None:
        if code.is_failure:
            self._is_refused = True
            self._namesake.kept_out()
            if code.value in NO_ENTRY:
                self.trouble = f"the broker does not let {self._address.by} in: {code}"
                self._fail(self.trouble, "look at user name and password")
            else:
                self._warn(words.turned_away(code.value, str(code), self._where))
            return
        self._is_up, self.error = True, None
        self._namesake.connected(monotonic())
        if not self._namesake.is_about(monotonic()):
            self.trouble = ""
            kept = "kept" if flags.session_present else "new"
            log.info("connected to %s as %s, session %s", self._where, self._address.by, kept)
        with self._lock:
            self._generation += 1
            self._unacked.clear()
        self._subscribe()

    def _unreachable(self, _client: Client, _data: Any) -> None:
        """No connection came about; paho calls this where it handles the error."""
        self._namesake.kept_out()
        self._warn(words.unreachable(sys.exception(), self._where))

    def _ended(self, _client: Client, _data: Any, _flags: Any, code: ReasonCode, _properties: Any) -> None:
        was_up, self._is_up = self._is_up, False
        was_refused, self._is_refused = self._is_refused, False
        if not code.is_failure:
            self.trouble = "it was closed"
        elif not was_up:
            self._namesake.kept_out()
            if not was_refused:
                self._warn(words.hung_up(self._where, encrypted=self._address.tls is not None))
        elif self._namesake.broke(monotonic()):
            self._warn(words.shared_name(self._address.by))
        else:
            self._warn(words.broke(self._where, self._address.by))

    def _warn(self, trouble: str) -> None:
        """Log what is wrong, once as long as it stays the same."""
        if trouble != self.trouble:
            self.trouble = trouble
            log.warning("%s", trouble)

    def _subscribe(self) -> None:
        """Ask anew at every connect: a broker may have forgotten us."""
        if unwanted := [topic for topic, qos in self._topics.items() if qos is None]:
            self._client.unsubscribe(unwanted)
        wanted = [(topic, qos) for topic, qos in self._topics.items() if qos is not None]
        with self._lock:
            _, mid = self._client.subscribe(wanted)
            self._asked[mid] = [topic for topic, _ in wanted]

    def _subscribed(self, _client: Client, _data: Any, mid: int, codes: list[ReasonCode], _properties: Any) -> None:
        with self._lock:
            topics = self._asked.pop(mid, [])
        for topic, code in zip(topics, codes, strict=False):
            if code.is_failure:
                self._fail(f"the broker does not let {self._address.by} read {topic}", "allow it in the broker's ACL")

    def _message(self, _client: Client, _data: Any, message: MQTTMessage) -> None:
        ticket = None
        if message.qos:
            with self._lock:
                ticket = (self._generation, message.mid)
                self._unacked[message.mid] = False
        payload = bytes(message.payload)
        if message.topic.endswith("/reply"):
            self.answered(payload)
        self.incoming.append(Delivery(message.topic, payload, ticket))
        self._wake()

    def _fail(self, what: str, hint: str) -> None:
        self.error = FloorError(what, hint)
        self._wake()
