"""The daemon's driver, the only user of paho's private fields: one packet at a time, one system call a message."""

from functools import lru_cache
from os import sched_yield
from time import monotonic
from typing import Any

from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import MQTTErrorCode, MQTTProtocolVersion

from firmware_bridge.mqtt.connection import MOST_WINDOW, Connection

QOS_1 = 0x32
"""First byte of a PUBLISH at QoS 1; 1 more if it is retained (MQTT 5, 3.3.1)."""


class QuickClient(Client):
    """A paho client with shorter ways to read and to publish; it is connected once."""

    def loop_read(self, max_packets: int = 1) -> MQTTErrorCode:
        """Read one packet; paho's own reads as many as are in flight either way, in a flood thousands."""
        if self._sock is None:
            return MQTTErrorCode.MQTT_ERR_NO_CONN
        code = self._packet_read()
        return self._loop_rc_handle(code) if code > 0 else MQTTErrorCode.MQTT_ERR_SUCCESS

    def publish_now(self, topic: str, payload: bytes, retain: bool) -> int | None:
        """Send a message at QoS 1; return its id, or None, with nothing sent, where `publish` must do it.

        That is while other bytes wait, or as many messages as the broker allows are in flight, or the connection is
        broken. Bytes that the socket does not accept at once wait as paho's do; the broker's answer comes by paho.
        """
        if self._out_packet or self._inflight_messages >= self._max_inflight_messages:
            return None
        while (mid := self._mid_generate()) in self._out_messages:
            pass
        packet = _publish(topic, payload, retain, mid, self._protocol)
        try:
            sent = self._sock_send(packet)
            sched_yield()  # a broker on this machine waits for this core
        except BlockingIOError:
            sent = 0  # TLS may hold these bytes already: no others may follow before them
        except OSError:
            return None
        self._out_messages[mid] = _SENT
        self._inflight_messages += 1
        self._last_msg_out = monotonic()
        if sent < len(packet) and self._packet_queue(QOS_1, packet[sent:], mid, 1):
            return None
        return mid


class QuickConnection(Connection):
    """A connection with a `QuickClient`; the broker and the outbox limit the messages in flight."""

    kind = QuickClient
    most_in_flight = MOST_WINDOW
    _client: QuickClient

    def _send(self, topic: str, payload: bytes, qos: int, retain: bool, correlation: bytes | None) -> int | None:
        if qos == 1 and correlation is None and (mid := self._client.publish_now(topic, payload, retain)) is not None:
            return mid
        return super()._send(topic, payload, qos, retain, correlation)

    def _connack(self, client: Client, *answer: Any) -> None:
        # MQTT 5 forbids more in flight than ReceiveMaximum; paho then holds the rest back, in order. Its public
        # setter refuses once connected, though nothing is in flight yet.
        client._max_inflight_messages = getattr(answer[-1], "ReceiveMaximum", MOST_WINDOW)
        # paho takes the broker's keep-alive also where it is longer, or 0 for none: a silent broker is noticed all the
        # same, and to ping more often is allowed.
        client._keepalive = min(client.keepalive or self._keepalive_s, self._keepalive_s)
        super()._connack(client, *answer)


_SENT = MQTTMessage()
"""Placeholder of each message sent by `publish_now` among paho's unacknowledged ones."""
_SENT.qos = 1


def _publish(topic: str, payload: bytes, retain: bool, mid: int, protocol: int) -> bytes:
    """Return a PUBLISH packet at QoS 1 without properties (MQTT 5, 3.3)."""
    behind = b"%b\0" if protocol == MQTTProtocolVersion.MQTTv5 else b"%b"
    head = b"%b%b" % (_text(topic), behind % mid.to_bytes(2, "big"))
    return b"%c%b%b%b" % (QOS_1 + retain, _length(len(head) + len(payload)), head, payload)


@lru_cache(64)
def _text(topic: str) -> bytes:
    text = topic.encode()
    return len(text).to_bytes(2, "big") + text


def _length(count: int) -> bytes:
    """Return a variable byte integer: seven bits a byte, the lowest first (MQTT 5, 1.5.5)."""
    packed = bytearray()
    while count > 0x7F:
        packed.append(count & 0x7F | 0x80)
        count >>= 7
    packed.append(count)
    return bytes(packed)
