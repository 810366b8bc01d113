"""A reader of a floor in tests: it stores what comes, and waits for what a broker and a table were told."""

from __future__ import annotations

from time import monotonic, sleep

from paho.mqtt.publish import single

from firmware_bridge.client.floor import PlainFloor
from firmware_bridge.client.messages import Item, Received
from firmware_bridge.client.testing import FakeTable
from firmware_bridge.facts.wire import Stored
from tests.kit.broker import Broker

LIMIT_S = 30.0


def raws(items: list[Item]) -> list[bytes]:
    """The messages, but the answers to orders: how often a table is asked is a matter of time."""
    return [each.raw for each in items if isinstance(each, Received) and b'"CommandAnswered"' not in each.raw]


def logged(broker: Broker, what: str, times: int) -> None:
    end = monotonic() + LIMIT_S
    while broker.log.count(what) < times:
        assert monotonic() < end
        sleep(0.01)


def subscribed(broker: Broker, by: str, times: int = 1) -> None:
    logged(broker, f"Sending SUBACK to {by}", times)


def said(table: FakeTable, seq: int) -> None:
    end = monotonic() + LIMIT_S
    while table.stored[-1:] != [Stored(journal=table.journal, seq=seq, by="ledger")]:
        assert monotonic() < end, table.stored
        sleep(0.01)


def read_until(floor: PlainFloor, items: list[Item], count: int, *, events: bool = False) -> None:
    """Store what comes until there are so many messages."""
    end = monotonic() + LIMIT_S
    for batch in floor.messages() if events else floor.rounds():
        items += batch
        batch.stored()
        if len(raws(items)) >= count:
            return
        assert monotonic() < end


def publish(port: int, topic: str, payload: bytes) -> None:
    single(topic, payload, qos=1, port=port)
