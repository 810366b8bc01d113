"""Messages that are sent by one system call, around paho."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.kit import broker as real
from tests.kit import certificates
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.peer import ACCEPTED_5, Peer
from tests.mqtt import table_link as tables
from tests.mqtt.table_link import EVENT

broker, brokers, table, tls = real.broker, real.brokers, tables.table, certificates.tls  # fixtures

LENGTHS = [*range(60, 130), *range(16_320, 16_390), 2_097_152]
"""Of a packet: around those that need one byte more to be written."""


def message(number: int, length: int = 0) -> bytes:
    return json.dumps({"seq": number, "fill": "x" * length}).encode()


def publish(bridge: Any, number: int, length: int = 0) -> int:
    mid: int = bridge.link.publish(EVENT, message(number, length))
    return mid


def flood(broker: Broker, bridge: Any) -> list[int]:
    """Publish more than the sockets hold while the broker is frozen; it goes on afterwards."""
    client = bridge.link._connection._client
    client.socket().setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)
    broker.pause()
    mids = [publish(bridge, number, 10_000) for number in range(1_000)]
    assert client.want_write()
    broker.resume()
    return mids


@pytest.mark.parametrize("protocol", [5, 4])
def test_messages_of_every_length_arrive_as_they_are(broker: Broker, table: Any, protocol: int) -> None:
    with Backend(broker.port, of_shoes=False) as backend:
        bridge = table(broker.port, protocol=protocol).up()
        mids = [publish(bridge, number, length) for number, length in enumerate(LENGTHS)]
        bridge.until(lambda: bridge.delivered == mids)
        backend.wait_until(lambda: len(backend.on("event")) == len(LENGTHS))
    assert [(each["seq"], len(each["fill"])) for each in backend.on("event")] == list(enumerate(LENGTHS))


def test_retained_ones_are_retained(broker: Broker, table: Any) -> None:
    bridge = table(broker.port).up()
    mid = bridge.link.publish("shoe/T07/roads", message(1), retain=True)
    bridge.until(lambda: bridge.delivered == [mid])
    with Backend(broker.port, of_shoes=False) as backend:
        assert backend.wait_for(lambda received: received.topic.endswith("roads")).payload["seq"] == 1


def test_the_order_is_kept_around_bytes_that_wait(broker: Broker, table: Any) -> None:
    with Backend(broker.port, of_shoes=False) as backend:
        bridge = table(broker.port).up()
        mids = flood(broker, bridge)
        bridge.until(lambda: bridge.delivered == mids)
        backend.wait_until(lambda: len(backend.on("event")) == 1_000)
    assert [each["seq"] for each in backend.on("event")] == list(range(1_000))
    assert bridge.ups == 1


def test_bytes_that_tls_holds_already_are_sent_first(brokers: Any, table: Any, tls: Path) -> None:
    broker = brokers(tls=tls)
    bridge = table(broker.port, ca=f"{tls}/ca.pem").up()
    mids = flood(broker, bridge)
    bridge.until(lambda: bridge.delivered == mids)
    assert bridge.ups == 1


def test_an_id_that_is_in_flight_is_not_given_again(table: Any) -> None:
    with Peer({5: ACCEPTED_5}, acks=False) as peer:
        bridge = table(peer.port).up()
        mids = bridge.send(1, 2, 3)
        bridge.link._connection._client._last_mid = mids[0] - 1
        assert bridge.send(4) == [mids[-1] + 1]
        bridge.link._connection._client._last_mid = 65_535
        (first,) = bridge.send(5)
        assert 1 <= first <= 65_535
        assert first not in (*mids, mids[-1] + 1)
        peer.ack(mids[1])
        bridge.until(lambda: bridge.delivered == [mids[1]])
