"""Opens one connection to the broker, with a fresh paho client that is never used twice."""

import socket
import ssl
from pathlib import Path

from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from firmware_bridge.mqtt.client import QuickClient
from firmware_bridge.mqtt.settings import BrokerSettings, Message

CONNECT_S = 5.0  # a peer that says nothing for this long is given up
UNLIMITED = 65535  # messages in flight (MQTT 5, 3.2.2.3.3): the outbox keeps its own, smaller window


def connect(broker: BrokerSettings, will: Message, version: int) -> QuickClient:
    """Connect by TCP and TLS and send CONNECT; blocks up to `CONNECT_S` for each.

    `version`: 5, or 4 for MQTT 3.1.1. The answer is not read yet. Raises what `unreachable` explains.
    """
    client = QuickClient(
        CallbackAPIVersion.VERSION2,
        broker.client_id,
        protocol=MQTTProtocolVersion(version),
        reconnect_on_failure=False,
    )
    client.connect_timeout = CONNECT_S
    client.max_inflight_messages = UNLIMITED
    # paho sends bytes as they are, though it only declares str.
    client.username_pw_set(broker.username, broker.password)  # type: ignore[arg-type]  # paho takes bytes, its types say text
    client.will_set(will.topic, will.payload, will.qos, will.retain)
    if broker.encrypted:
        client.tls_set_context(_tls(broker))
    # paho pings after one interval of silence and gives up after a second one; the ticks add half of one.
    client.connect(broker.host, broker.port, max(1, broker.keepalive_s * 2 // 5))
    sock = client.socket()
    if isinstance(sock, socket.socket):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return client


def hang_up(client: QuickClient) -> None:
    """Close the socket at once; the broker publishes the will unless DISCONNECT was sent before."""
    sock = client.socket()
    if sock is not None:
        sock.close()


def _tls(broker: BrokerSettings) -> ssl.SSLContext:
    for path in filter(None, (broker.ca, broker.cert, broker.key)):
        Path(path).open("rb").close()  # ssl's own error would not name the file
    context = ssl.create_default_context(cafile=broker.ca)
    if broker.cert is not None:
        context.load_cert_chain(broker.cert, broker.key)
    return context
