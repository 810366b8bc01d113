"""One connection to the broker, from CONNECT to its end, served on the asyncio loop."""

import asyncio
import logging
import ssl
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple, TypeAlias

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import MQTTProtocolVersion
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from firmware_bridge.mqtt.client import QuickClient
from firmware_bridge.mqtt.dial import CONNECT_S, UNLIMITED, hang_up
from firmware_bridge.mqtt.settings import Incoming

AGAIN_S: Final = 15.0
"""When a refused subscription is asked for again: a cluster that chooses a leader refuses just as an ACL does."""

log = logging.getLogger(__name__)


class Accepted(NamedTuple):
    """The broker accepted CONNECT."""


class Refused(NamedTuple):
    """The broker answered CONNECT with a refusal."""

    code: ReasonCode


class Silent(NamedTuple):
    """The broker did not answer CONNECT in time."""


class Acked(NamedTuple):
    """The broker took the QoS 1 message `mid`."""

    mid: int


class NotTaken(NamedTuple):
    """The broker acknowledged a QoS 1 message to `topic` as refused (MQTT 5)."""

    topic: str
    code: ReasonCode


class Ended(NamedTuple):
    """The socket is closed; `by_broker`: after a DISCONNECT from there (MQTT 5)."""

    code: ReasonCode
    by_broker: bool


class Crashed(NamedTuple):
    """Our own code or paho's raised while serving; the log has the traceback."""

    error: Exception


News: TypeAlias = Accepted | Refused | Silent | Acked | NotTaken | Incoming | Ended | Crashed


class Connection:
    """Owns a client whose CONNECT is sent, and tells `hear` what happens, in order, until closed.

    paho's callbacks only note the news; `hear` runs when paho has returned. So what it publishes is written
    at once, and an exception in it cannot leave paho in the middle of something.
    """

    def __init__(self, client: QuickClient, hear: Callable[[News], None], loop: asyncio.AbstractEventLoop) -> None:
        sock = client.socket()
        assert sock is not None
        self.unacked: dict[int, str] = {}
        self.protocol = int(client.protocol)
        self._client, self._hear, self._loop = client, hear, loop
        self._news: deque[News] = deque()
        self._topics: dict[str, Any] = {}
        self._asked: dict[int | None, Sequence[str]] = {}
        self._refused: set[str] = set()
        self._again: asyncio.TimerHandle | None = None
        self._closed = self._writing = False
        client.on_connect, client.on_disconnect = self._connack, self._end
        client.on_publish, client.on_message = self._puback, self._message
        client.on_subscribe, client.on_socket_close = self._suback, self._unwatch
        self._fd = sock.fileno()
        loop.add_reader(self._fd, self._read)
        self._timer = loop.call_later(CONNECT_S, self._tell, Silent())

    def publish(self, topic: str, payload: bytes, qos: int, retain: bool, correlation: bytes | None) -> int | None:
        """Send at once and return the message's id, or None if the connection broke (told soon)."""
        client = self._client
        if qos == 1 and correlation is None and (mid := client.publish_now(topic, payload, retain)) is not None:
            self.unacked[mid] = topic
            if client.want_write():
                self._watch_writes()
            return mid
        properties = None
        if correlation is not None and self.protocol == MQTTProtocolVersion.MQTTv5:
            properties = Properties(PacketTypes.PUBLISH)  # type: ignore[no-untyped-call]  # paho types it not
            properties.CorrelationData = correlation
        info = client.publish(topic, payload, qos, retain, properties)
        if info.rc:
            self._loop.call_soon(self._serve, Client.loop_misc)
            return None
        if qos:
            self.unacked[info.mid] = topic
        if client.want_write():
            self._watch_writes()
        return info.mid

    def subscribe(self, topics: Sequence[str], own: Sequence[str]) -> None:
        """Ask for `topics` and `own` at QoS 1; with MQTT 5 the retain flag stays on live messages to `topics` too.

        With MQTT 3.1.1 `own` is at QoS 0: an echo needs no acknowledgement. NATS would replicate each.
        """
        for topic in (*topics, *own):
            is_wanted = topic in topics
            if self.protocol == MQTTProtocolVersion.MQTTv5:
                self._topics[topic] = SubscribeOptions(qos=1, retainAsPublished=is_wanted)
            else:
                self._topics[topic] = int(is_wanted)
        self._ask(tuple(self._topics))

    def _ask(self, topics: Sequence[str]) -> None:
        if topics:
            _, mid = self._client.subscribe([(topic, self._topics[topic]) for topic in topics])
            self._asked[mid] = topics

    def close(self, *, in_order: bool = False) -> None:
        """Hang up and say nothing more; `in_order` sends DISCONNECT first, so that no will is published."""
        if in_order:
            with suppress(Exception):
                self._client.disconnect()
        self._closed = True
        self._timer.cancel()
        if self._again:
            self._again.cancel()
        self._news.clear()
        self._unwatch()
        hang_up(self._client)
        del self._client  # it holds our methods: no cycle shall keep a dead client until the next collection

    def _read(self) -> None:
        """Take in one packet; TLS may have decrypted more of them, which no selector reports."""
        self._serve(_one_packet)
        if not self._closed and isinstance(sock := self._client.socket(), ssl.SSLSocket) and sock.pending():
            self._loop.call_later(0, self._read)

    def _serve(self, step: Callable[[Client], object]) -> None:
        """Run one of paho's steps, then tell what it noted."""
        if self._closed:
            return
        try:
            step(self._client)
            while self._news:
                self._hear(self._news.popleft())
        except Exception as error:
            log.exception("serving the broker failed")
            self._news.clear()
            self._hear(Crashed(error))
        self._watch_writes()

    def _tell(self, news: News) -> None:
        self._news.append(news)
        self._serve(Client.loop_misc)

    def _tick(self) -> None:
        """Let paho ping and notice silence, four times per keep-alive interval."""
        self._timer = self._loop.call_later(self._client.keepalive / 4 or 1.0, self._tick)
        self._serve(Client.loop_misc)

    def _connack(
        self, client: Client, _: object, _flags: ConnectFlags, code: ReasonCode, properties: Properties | None
    ) -> None:
        self._timer.cancel()
        if code.is_failure:
            self._news.append(Refused(code))
            return
        # MQTT 5 forbids more in flight than the broker says; paho then holds the rest back, in order. Its
        # public setter refuses once connected, though nothing is in flight yet.
        client._max_inflight_messages = getattr(properties, "ReceiveMaximum", UNLIMITED)
        self._timer = self._loop.call_later(client.keepalive / 4 or 1.0, self._tick)
        self._news.append(Accepted())

    def _end(self, _client: Client, _: object, flags: DisconnectFlags, code: ReasonCode, _more: object) -> None:
        self._news.append(Ended(code, flags.is_disconnect_packet_from_server))

    def _puback(self, _client: Client, _: object, mid: int, code: ReasonCode, _more: object) -> None:
        if mid in self.unacked:  # paho also tells of QoS 0 messages, which nobody acknowledged
            topic = self.unacked.pop(mid)
            self._news.append(NotTaken(topic, code) if code.is_failure else Acked(mid))

    def _suback(self, _client: Client, _: object, mid: int, codes: list[ReasonCode], _more: object) -> None:
        for topic, code in zip(self._asked.pop(mid, ()), codes, strict=False):
            if not code.is_failure:
                self._refused.discard(topic)
            elif topic not in self._refused:
                log.error("the broker does not let us read %s (%s): allow it in the broker's ACL", topic, code)
                self._refused.add(topic)
        if self._again:
            self._again.cancel()
        if self._refused:
            self._again = self._loop.call_later(AGAIN_S, self._serve, lambda _: self._ask_again())

    def _ask_again(self) -> None:
        self._ask([topic for topic in self._topics if topic in self._refused])

    def _message(self, _client: Client, _: object, message: MQTTMessage) -> None:
        self._news.append(
            Incoming(
                message.topic,
                bytes(message.payload),
                bool(message.retain),
                getattr(message.properties, "ResponseTopic", None),
                getattr(message.properties, "CorrelationData", None),
            )
        )

    def _unwatch(self, *_: object) -> None:
        """Leave the socket alone before it is closed and another file gets its number."""
        if self._fd >= 0:
            self._loop.remove_reader(self._fd)
            self._loop.remove_writer(self._fd)
        self._fd, self._writing = -1, False

    def _watch_writes(self) -> None:
        """Wait for room in the socket while paho holds bytes that did not fit."""
        wanted = self._fd >= 0 and self._client.want_write()
        if wanted and not self._writing:
            self._loop.add_writer(self._fd, self._serve, Client.loop_write)
        elif self._writing and not wanted:
            self._loop.remove_writer(self._fd)
        self._writing = wanted


def _one_packet(client: Client) -> None:
    client.loop_read()
