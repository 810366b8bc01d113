"""What a floor says of bytes that are no message, of its own wrong use, and of a broker that refuses it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import pytest
from paho.mqtt.client import Client
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from firmware_bridge.client.broker import FloorError
from firmware_bridge.client.floor import FloorInUse, NotThisBatch, PlainFloor
from firmware_bridge.client.messages import Item, Unreadable
from firmware_bridge.client.testing import fake_table
from tests.client.reading import logged, publish, raws, subscribed
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import Patience

brokers, broker = real.brokers, real.broker  # fixtures


def test_what_is_no_message_is_reported_with_the_reason(broker: Broker) -> None:
    items: list[Item] = []
    with PlainFloor("ledger", port=broker.port) as floor:
        floor.rounds()
        subscribed(broker, "ledger")
        with fake_table("T02", port=broker.port) as table:
            table.round()
            [raw] = table.rounds
            publish(broker.port, "shoe/T01/round", raw)
            publish(broker.port, "shoe/T01/round", b"{")
            for batch in floor.rounds():
                items += batch
                batch.stored()
                if len(items) == 3:
                    break
    wrong = [each for each in items if isinstance(each, Unreadable)]
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
    with floor, pytest.raises(FloorError, match="check user name and password"):
        next(floor.rounds())


def test_a_floor_that_was_refused_goes_on_once_it_is_let_in(brokers: Callable[..., Broker]) -> None:
    doors = brokers(users={"ledger": "right"}, options="allow_anonymous true")
    passwords, played = doors.passwords.read_bytes(), 0
    items: list[Item] = []
    with PlainFloor("ledger", port=doors.port, username="ledger", password="right") as floor:
        rounds = floor.rounds()
        subscribed(doors, "ledger")
        for _ in range(2):
            doors.passwords.write_bytes(b"")
            doors.stop()
            doors.start()
            with pytest.raises(FloorError, match="check user name and password"):
                next(rounds)
            doors.passwords.write_bytes(passwords)
            doors.stop()
            doors.start()
            with fake_table(f"T{played}", port=doors.port) as table:
                logged(doors, "Sending SUBACK to ledger", 2 + played)
                table.round()
                patience = Patience()
                while len(raws(items)) <= played:
                    assert not patience.is_over
                    with suppress(FloorError):  # a refusal from before the password was right
                        batch = next(rounds)
                        items += batch
                        batch.stored()
            played += 1
    assert len(raws(items)) == 2


def test_a_refused_topic_is_reported_once_and_the_others_are_read(broker: Broker) -> None:
    refused = ReasonCode(PacketTypes.SUBACK, identifier=0x87)
    with PlainFloor("ledger", port=broker.port) as floor, fake_table(port=broker.port) as table:
        rounds, session = floor.rounds(), floor._reading.session
        subscribed(broker, "ledger")
        assert session._link is not None
        connection = session._link._connection
        assert connection is not None
        connection._asked[-1] = ["shoe/+/reply"]
        session._call(connection._suback, connection._client, None, -1, [refused], None)  # mosquitto refuses none
        session._call(connection._serve, Client.loop_misc)
        with pytest.raises(FloorError, match=r"does not let ledger read shoe/\+/reply"):
            next(rounds)
        table.round()
        assert len(next(rounds)) == 1
