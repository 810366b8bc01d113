"""A reader of a floor in tests: it stores what comes, and waits for what a broker and a table were told."""

from __future__ import annotations

from paho.mqtt.publish import single

from firmware_bridge.client.floor import PlainFloor
from firmware_bridge.client.messages import Item, Received
from firmware_bridge.client.testing import FakeTable
from firmware_bridge.facts.wire import Stored
from tests.kit.broker import Broker
from tests.kit.patience import Patience, until


def raws(items: list[Item]) -> list[bytes]:
    """The messages, but the answers to orders: how often a table is asked is a matter of time."""
    return [each.raw for each in items if isinstance(each, Received) and b'"CommandAnswered"' not in each.raw]


def logged(broker: Broker, what: str, times: int) -> None:
    until(lambda: broker.log.count(what) >= times)


def subscribed(broker: Broker, by: str, times: int = 1) -> None:
    logged(broker, f"Sending SUBACK to {by}", times)


def said(table: FakeTable, seq: int) -> None:
    wanted = [Stored(journal=table.journal, seq=seq, by="ledger")]
    until(lambda: table.stored[-1:] == wanted, story=lambda: table.stored)


def read_until(floor: PlainFloor, items: list[Item], count: int, *, events: bool = False) -> None:
    """Store what comes until there are so many messages."""
    patience = Patience()
    for batch in floor.messages() if events else floor.rounds():
        items += batch
        batch.stored()
        if len(raws(items)) >= count:
            return
        assert not patience.is_over


def publish(port: int, topic: str, payload: bytes) -> None:
    single(topic, payload, qos=1, port=port)
