"""What a floor says of bytes that are no message, of its own wrong use, and of a broker that refuses it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from firmware_bridge.client.broker import FloorError
from firmware_bridge.client.floor import PlainFloor
from firmware_bridge.client.items import Item, Unreadable
from firmware_bridge.client.reading import FloorInUse, NotThisBatch
from firmware_bridge.client.testing import fake_table
from tests import broker as real
from tests.broker import Broker
from tests.client.reading import publish, subscribed

brokers, broker = real.brokers, real.broker  # fixtures


def test_what_is_no_message_is_told_with_the_reason(broker: Broker) -> None:
    told: list[Item] = []
    with PlainFloor("ledger", port=broker.port) as floor:
        floor.rounds()
        subscribed(broker, "ledger")
        with fake_table("T02", port=broker.port) as table:
            table.round()
            [raw] = table.rounds
            publish(broker.port, "shoe/T01/round", raw)
            publish(broker.port, "shoe/T01/round", b"{")
            for batch in floor.rounds():
                told += batch
                batch.stored()
                if len(told) == 3:
                    break
    wrong = [each for each in told if isinstance(each, Unreadable)]
    assert {(each.table, each.raw) for each in wrong} == {("T01", raw), ("T01", b"{")}
    assert any("the topic is of table T01, the message of T02" in each.why for each in wrong)


def test_one_floor_gives_one_stream_and_only_the_last_batch_is_stored(broker: Broker) -> None:
    with PlainFloor("ledger", port=broker.port) as floor, fake_table(port=broker.port) as table:
        rounds = floor.rounds()
        with pytest.raises(FloorInUse):
            floor.messages()
        subscribed(broker, "ledger")
        table.round()
        left, again = next(rounds), next(rounds)
        with pytest.raises(NotThisBatch):
            left.stored()
        again.stored()


def test_a_broker_that_does_not_let_us_in_is_an_error(brokers: Callable[..., Broker]) -> None:
    closed = brokers(users={"ledger": "right"})
    floor = PlainFloor("ledger", port=closed.port, username="ledger", password="wrong")
    with floor, pytest.raises(FloorError, match="look at user name and password"):
        next(floor.rounds())
