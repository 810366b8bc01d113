"""An honest backend: it subscribes, keeps what comes in order, and can publish commands."""

import json
import ssl
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest
from paho.mqtt.client import Client, ConnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from firmware_bridge.cli.schema import TEXTS
from tests.kit import wire
from tests.kit.broker import Broker
from tests.kit.patience import COUNT_S, LIMIT_S, Patience, until

FILES: Final = Path("/proc/self/fd")
"""The files that this process has open."""


class Received(NamedTuple):
    """A message as the backend got it; `payload` is the decoded JSON object, `raw` its bytes."""

    topic: str
    payload: dict[str, Any]
    retained: bool
    correlation: bytes | None = None
    raw: bytes = b""


class Backend:
    """Subscribed to `topic` at QoS 1 once constructed; connects anew by itself, with its session kept.

    `of_shoes`: what comes is sent by shoes, and must be as its schema says. `meanwhile`: what is to be done again and
    again while it waits, such as letting a simulated board live.
    """

    meanwhile: Callable[[], None] | None = None

    def __init__(
        self,
        port: int,
        topic: str = "shoe/#",
        *,
        client_id: str = "backend",
        username: str | None = None,
        password: str | None = None,
        of_shoes: bool = True,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.received: list[Received] = []
        self.faults: list[str] = []
        self._of_shoes = of_shoes
        self._wrong: set[str] = set()
        self._topic = topic
        self._news = threading.Condition()
        self._subscribed = threading.Event()
        self._client = Client(CallbackAPIVersion.VERSION2, client_id, protocol=MQTTProtocolVersion.MQTTv5)
        self._client.username_pw_set(username, password)
        if tls:
            self._client.tls_set_context(tls)
        self._client.reconnect_delay_set(1, 1)
        self._client.on_connect, self._client.on_message = self._connected, self._message
        self._client.on_subscribe = lambda *_: self._subscribed.set()
        kept = Properties(PacketTypes.CONNECT)  # type: ignore[no-untyped-call]  # paho types it not
        kept.SessionExpiryInterval = 3600
        self._client.connect("127.0.0.1", port, clean_start=False, properties=kept)
        self._client.loop_start()
        until(self._subscribed.is_set, story=lambda: f"{len(list(FILES.iterdir()))} files are open here")

    def __enter__(self) -> "Backend":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def publish(
        self,
        topic: str,
        payload: dict[str, Any] | str | bytes,
        *,
        retain: bool = False,
        response_topic: str | None = None,
        correlation: bytes | None = None,
    ) -> None:
        """Publish a JSON object, or text as it is, at QoS 1 and wait until the broker has it."""
        properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho types it not
        if response_topic is not None:
            properties.ResponseTopic = response_topic
        if correlation is not None:
            properties.CorrelationData = correlation
        data = json.dumps(payload) if isinstance(payload, dict) else payload
        sent = self._client.publish(topic, data, 1, retain, properties)

        def is_taken() -> bool:
            sent.wait_for_publish(COUNT_S)
            return sent.is_published()

        until(is_taken)

    def wait_for(self, wanted: Callable[[Received], bool], limit: float = LIMIT_S) -> Received:
        """Return the first message received so far or within `limit` given seconds for which `wanted` is true."""
        found: Received = self.wait_until(lambda: next(filter(wanted, self.received), None), limit)
        return found

    def wait_until(self, condition: Callable[[], Any], limit: float = LIMIT_S) -> Any:
        """Return the first true value of `condition`, asked after each message, within `limit` given seconds."""
        patience = Patience(limit)
        while True:
            with self._news:
                if found := condition():
                    return found
                assert not patience.is_over, f"not within {limit} s; the last messages: {self.received[-5:]}"
                if self.meanwhile is None:
                    self._news.wait(COUNT_S)
            if self.meanwhile:
                self.meanwhile()

    def on(self, name: str) -> list[dict[str, Any]]:
        """Return the payloads so far whose topic ends in `name`, in order."""
        with self._news:
            return [each.payload for each in self.received if each.topic.rsplit("/", 1)[-1] == name]

    def close(self) -> None:
        """Disconnect; the broker keeps the session for an hour. Every message was as its schema says."""
        self._client.disconnect()
        self._client.loop_stop()
        self._client._reset_sockets()  # which a collector may find before their client
        assert self.faults == [], self.faults[:5]

    def _connected(self, client: Client, _: object, flags: ConnectFlags, code: ReasonCode, properties: object) -> None:
        if not code.is_failure:
            client.subscribe(self._topic, options=SubscribeOptions(qos=1))

    def _fault(self, topic: str, payload: dict[str, Any]) -> str | None:
        """What is wrong with a message. A test may send a wrong command: then it must be refused."""
        fault = wire.fault(topic, payload)
        if topic.endswith("/command"):
            self._wrong |= {str(payload.get("id"))} if fault else set()
            return None
        if fault is None and payload.get("ok") is True and str(payload.get("id")) in self._wrong:
            return f"{topic}: a wrong command was obeyed: {payload}"
        return fault

    def _message(self, client: Client, _: object, message: MQTTMessage) -> None:
        correlation = getattr(message.properties, "CorrelationData", None)
        fault = None
        try:
            text = message.payload or b"{}"
            if message.topic.rsplit("/", 1)[-1] in TEXTS:
                text = json.dumps({"note": message.payload.decode()}).encode()
            payload = json.loads(text, object_pairs_hook=wire.once)
            fault = self._fault(message.topic, payload) if message.payload and self._of_shoes else None
        except (ValueError, LookupError, TypeError) as error:
            payload, fault = {}, None if message.topic.endswith("/command") else f"{message.topic}: {error}"
        with self._news:
            self.faults += [fault] if fault else []
            self.received.append(Received(message.topic, payload, message.retain, correlation, bytes(message.payload)))
            self._news.notify_all()


@pytest.fixture
def backend(broker: Broker) -> Iterator[Backend]:
    """Give a backend of the plain broker."""
    with Backend(broker.port) as backend:
        yield backend
