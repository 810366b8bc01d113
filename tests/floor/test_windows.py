"""What is not acknowledged is bounded, at every subscriber that acknowledges by hand: the broker keeps the rest."""

from collections.abc import Callable
from time import sleep

import pytest
from msgspec.structs import replace
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from firmware_bridge.client.broker import Address, Session
from firmware_bridge.floor.config import MqttSection
from firmware_bridge.floor.source import Delivery as Delivered
from firmware_bridge.floor.source.mqtt import MqttSource
from firmware_bridge.mqtt.settings import Incoming
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import HANG_S, until

brokers = real.brokers  # fixture
QUIET_S = 0.5
SENT, OURS, THE_BROKERS = 100, 10, 15
WANTED = [b"%d" % n for n in range(SENT)]


def say_all(broker: Broker) -> None:
    client = Client(CallbackAPIVersion.VERSION2, "T07")
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    for body in WANTED:
        client.publish("shoe/T07/event", body, 1).wait_for_publish(HANG_S)
    client.disconnect()
    client.loop_stop()
    client._reset_sockets()  # which a collector may find before their client


def source_of(broker: Broker, protocol: int) -> MqttSource:
    source = MqttSource(MqttSection(port=broker.port), None, ["shoe/+/event"], OURS)
    source._settings = replace(source._settings, protocol=protocol)
    assert source.tried(HANG_S) is None
    return source


@pytest.mark.parametrize(
    ("protocol", "the_brokers", "window"),
    [
        (5, 0, OURS),  # the broker has no limit of its own
        (5, THE_BROKERS, OURS),
        (4, THE_BROKERS, THE_BROKERS),  # 3.1.1 cannot say ours
    ],
)
def test_a_source_has_at_most_its_window_until_it_acknowledges(
    brokers: Callable[..., Broker], protocol: int, the_brokers: int, window: int
) -> None:
    broker = brokers(options=f"max_inflight_messages {the_brokers}")
    source = source_of(broker, protocol)
    say_all(broker)
    for _ in range(2):  # what is not acknowledged comes again, and no more of it at a time
        held = came(source, window)
        assert [each.body for each in held] == WANTED[:window]
        source.drop()
    found = list[bytes]()
    while len(found) < SENT:
        held = came(source, 1)
        found += [each.body for each in held]
        source.acknowledge(held)
    assert found == WANTED
    source.close()


def came(source: MqttSource, wanted: int) -> list[Delivered]:
    """So many messages, and whatever else comes until it is quiet."""
    found = list[Delivered]()

    def has_come() -> bool:
        found.extend(source.receive(SENT, 0.1))
        return len(found) >= wanted

    until(has_come)
    return found + source.receive(SENT, QUIET_S)


def test_a_session_of_a_client_has_at_most_the_brokers_window_until_it_is_done(brokers: Callable[..., Broker]) -> None:
    broker = brokers(options=f"max_inflight_messages {THE_BROKERS}")
    session = Session(Address("ledger", port=broker.port), lambda: None)
    session.read({"shoe/+/event": 1})
    until(lambda: "Sending SUBACK to ledger" in broker.log)
    say_all(broker)
    held = taken(session, THE_BROKERS)
    assert [each.payload for each in held] == WANTED[:THE_BROKERS]
    tickets = [each.ticket for each in held if each.ticket]
    session.done(tickets[1:3])  # the broker is told in order: these wait for the first
    assert taken(session, 0) == []
    session.done(tickets[:1])
    while len(held) < SENT:
        more = taken(session, 1)
        session.done([*tickets, *[each.ticket for each in more if each.ticket]])
        held += more
    assert [each.payload for each in held] == WANTED
    session.close()


def taken(session: Session, wanted: int) -> list[Incoming]:
    """So many messages, and whatever else comes until it is quiet."""
    until(lambda: len(session.incoming) >= wanted)
    sleep(QUIET_S)
    return [session.incoming.popleft() for _ in range(len(session.incoming))]
