"""Those who read a broker and acknowledge by hand: what they ask it for, and what they do when it goes or refuses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import sleep
from typing import NamedTuple

import pytest
from paho.mqtt.client import MQTTMessage
from pytest_mock import MockerFixture

from firmware_bridge.client.broker import Address, Session
from firmware_bridge.floor.config import MqttSection
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.source.mqtt import MqttSource
from firmware_bridge.mqtt.connection import Connection
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import Patience
from tests.kit.peer import ACCEPTED_5, ACCEPTED_311, Peer

brokers, broker = real.brokers, real.broker  # fixtures
QUIET_S = 0.3
EVENTS = "shoe/+/event"
ROUNDS = "shoe/+/round"
GRANTED = bytes.fromhex("9003 0001 01")
GRANTED_5 = bytes.fromhex("9004 0001 00 01")
REFUSED = bytes.fromhex("9003 0001 80")


class Read(NamedTuple):
    """One kind of reader. came: what came, with what acknowledges it. serve: let it work for a moment."""

    serve: Callable[[], None]
    came: Callable[[], list[tuple[bytes, Callable[[], None]]]]
    close: Callable[[], None]
    level: int
    name: str


Open = Callable[[int], Read]


def source(port: int, *, clean: bool = False) -> MqttSource:
    return MqttSource(MqttSection(port=port), None, [EVENTS], 100, clean=clean)


def a_source(port: int) -> Read:
    made = source(port)

    def came() -> list[tuple[bytes, Callable[[], None]]]:
        return [(each.body, lambda each=each: made.acknowledge([each])) for each in made.receive(100, 0.01)]  # type: ignore[misc]

    return Read(lambda: made._serve(0.01), came, made.close, 5, "shoe-floor-ingest")


def a_session(port: int) -> Read:
    made = Session(Address("ledger", port=port), lambda: None)
    made.read({EVENTS: 1})

    def came() -> list[tuple[bytes, Callable[[], None]]]:
        found = [made.incoming.popleft() for _ in range(len(made.incoming))]
        return [(each.payload, lambda each=each: made.done([each.ticket])) for each in found]  # type: ignore[misc]

    return Read(lambda: sleep(0.01), came, made.close, 4, "ledger")


@pytest.fixture(params=[a_source, a_session])
def opened(request: pytest.FixtureRequest) -> Iterator[Open]:
    """Opens readers, and closes them."""
    made: list[Read] = []

    def make(port: int) -> Read:
        made.append(request.param(port))
        return made[-1]

    yield make
    for each in made:
        each.close()


def until(serve: Callable[[], None], happened: Callable[[], object]) -> None:
    patience = Patience()
    while not happened():
        assert not patience.is_over
        serve()


def is_up(made: MqttSource) -> bool:
    return made.tried(0.5) is None


def received(made: MqttSource, count: int) -> list[Delivery]:
    """The next `count` messages, and no more."""
    came: list[Delivery] = []
    until(lambda: came.extend(made.receive(count - len(came), 0.1)), lambda: len(came) >= count)
    return came


def taken(reader: Read) -> tuple[bytes, Callable[[], None]]:
    """The next message."""
    found: list[tuple[bytes, Callable[[], None]]] = []
    until(lambda: found.extend(reader.came()), lambda: found)
    [one] = found
    return one


def rest(reader: Read) -> None:
    """Let it work for a while."""
    for _ in range(30):
        reader.serve()


def peer() -> Peer:
    """A broker of either version."""
    return Peer({5: ACCEPTED_5 + GRANTED_5, 4: ACCEPTED_311 + GRANTED})


@pytest.mark.parametrize(
    ("kind", "level", "clean", "properties"),
    [
        ("kept", 5, False, {0x11: 604_800, 0x21: 100, 0x27: 1_048_576}),
        ("clean", 5, True, {0x11: 0, 0x21: 100, 0x27: 1_048_576}),
        ("kept", 4, False, {}),
        ("clean", 4, True, {}),
        ("session", 4, False, {}),
    ],
)
def test_what_a_broker_is_asked_to_keep(kind: str, level: int, clean: bool, properties: dict[int, int]) -> None:
    """Properties (MQTT 5, 3.1.2.11): 0x11 seconds to keep the session, 0x21 the window, 0x27 bytes of a packet."""
    answers = {5: ACCEPTED_5 + GRANTED_5} if level == 5 else {4: ACCEPTED_311 + GRANTED}
    with Peer(answers) as peer:
        if kind == "session":
            reader = a_session(peer.port)
            until(reader.serve, lambda: peer.asked)
            reader.close()
        else:
            made = source(peer.port, clean=kind == "clean")
            until(lambda: None, lambda: is_up(made))
            made.close()
    body = peer.connects[-1]
    name, flags, keepalive = body[2:6], body[7], int.from_bytes(body[8:10], "big")
    assert (name, body[6], flags) == (b"MQTT", level, 2 * clean)
    assert keepalive == (30 if kind == "session" else 20)
    assert _properties(body[10:]) == properties if level == 5 else properties == {}
    who = b"ledger" if kind == "session" else b"shoe-floor-ingest"
    assert body.endswith(len(who).to_bytes(2, "big") + who)


def _properties(packed: bytes) -> dict[int, int]:
    length, found, at = packed[0], {}, 1
    while at <= length:
        size = 2 if packed[at] == 0x21 else 4
        found[packed[at]] = int.from_bytes(packed[at + 1 : at + 1 + size], "big")
        at += 1 + size
    return found


@pytest.mark.parametrize("answer", [b"", bytes.fromhex("2003 0084 00"), bytes.fromhex("2002 0001")])
def test_a_source_asks_a_broker_that_does_not_know_mqtt_5_in_3_1_1(answer: bytes) -> None:
    with Peer({5: answer, 4: ACCEPTED_311 + GRANTED} if answer else {4: ACCEPTED_311 + GRANTED}) as peer:
        made = source(peer.port)
        until(lambda: None, lambda: is_up(made))
        assert peer.levels == [5, 4]
        made.close()


def test_a_session_of_a_backend_never_asks_for_mqtt_5() -> None:
    with Peer({5: ACCEPTED_5}) as peer:
        reader = a_session(peer.port)
        until(reader.serve, lambda: len(peer.levels) > 3)
        assert set(peer.levels) == {4}
        reader.close()


def test_a_message_is_acknowledged_on_no_later_connection_than_its_own(opened: Open) -> None:
    with peer() as broker:
        reader = opened(broker.port)
        until(reader.serve, lambda: broker.asked)
        broker.bring("shoe/T07/event", 7, b"once", reader.level)
        payload, acknowledge = taken(reader)
        broker.hang_up()
        until(reader.serve, lambda: len(broker.asked) == 2)
        broker.bring("shoe/T07/event", 7, b"other", reader.level)  # a session was lost: the id is another message's
        other, acknowledge_other = taken(reader)
        acknowledge()
        rest(reader)
        assert (payload, other, broker.acked) == (b"once", b"other", [])
        acknowledge_other()
        until(reader.serve, lambda: broker.acked == [7])
        acknowledge_other()
        rest(reader)
        assert broker.acked == [7]


def test_what_is_said_while_a_reader_is_away_waits_for_it(broker: Broker, opened: Open) -> None:
    first = opened(broker.port)
    until(first.serve, lambda: f"Sending SUBACK to {first.name}" in broker.log)
    first.close()
    until(lambda: sleep(0.01), lambda: f"Received DISCONNECT from {first.name}" in broker.log)
    teller = Session(Address("T07", port=broker.port), lambda: None)
    teller.read({"shoe/T07/command": 1})
    teller.publish("shoe/T07/event", b"meanwhile")
    assert taken(opened(broker.port))[0] == b"meanwhile"
    teller.close()


def test_what_a_backend_says_waits_for_the_broker_and_is_said_again_until_it_is_taken() -> None:
    with Peer({4: ACCEPTED_311 + GRANTED}, acks=False) as peer:
        session = Session(Address("ledger", port=peer.port), lambda: None)
        session.read({EVENTS: 1})
        session.publish("shoe/T07/stored", b"{}")
        until(lambda: sleep(0.01), lambda: len(peer.mids) == 1)
        peer.hang_up()
        until(lambda: sleep(0.01), lambda: len(peer.mids) == 2)
        peer.ack(peer.mids[-1])
        sleep(QUIET_S)
        peer.hang_up()
        until(lambda: sleep(0.01), lambda: len(peer.connects) == 3)
        sleep(QUIET_S)
        assert len(peer.mids) == 2
        session.close()


def test_a_topic_that_is_refused_is_asked_for_again(mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.mqtt.connection.AGAIN_S", 0.05)
    with Peer({4: ACCEPTED_311 + REFUSED}) as peer:
        made = source(peer.port)
        until(lambda: None, lambda: made.tried(0.5) == f"it refuses our subscription to {EVENTS}")
        until(lambda: made._serve(0.05), lambda: len(peer.asked) == 2)
        peer.say(bytes.fromhex("9003 0002 01"))
        until(lambda: None, lambda: is_up(made))
        made.close()


@pytest.mark.parametrize("takes_over", [False, True])
def test_waits_double_and_are_not_longer_for_another_client_of_the_name(takes_over: bool) -> None:
    answers = {5: ACCEPTED_5 + bytes.fromhex("e0028e00")} if takes_over else {}
    waits: list[float] = []
    with Peer(answers, stays=False) as peer:
        made = source(peer.port)
        made._serve(0.0)
        assert made._link is not None
        backoff = made._link._backoff
        backoff._chance = lambda: 1.0
        wait = backoff.wait

        def noted(now: float, *, refused: bool = False, patient: bool = False) -> float:
            waits.append(wait(now, refused=refused, patient=patient))
            return waits[-1]

        backoff.wait = noted  # type: ignore[method-assign]
        until(lambda: made._serve(0.05), lambda: len(waits) == 5)
        wanted = "another client uses the client id shoe-floor-ingest: end it, or set [mqtt] client_id"
        assert made.fault == (wanted if takes_over else "it does not answer")
        made.close()
    assert waits == pytest.approx([0.1, 0.2, 0.4, 0.8, 1.6])


def test_a_source_reads_no_more_than_it_is_asked_for() -> None:
    with peer() as broker:
        made = source(broker.port)
        until(lambda: made._serve(0.01), lambda: broker.asked)
        for mid in range(1, 51):
            broker.bring("shoe/T07/event", mid, b"%d" % mid)
        came = received(made, 5)
        assert [each.body for each in came] == [b"1", b"2", b"3", b"4", b"5"]
        assert made._came == []  # the others are still in the socket, and the broker waits
        assert [each.body for each in received(made, 45)] == [b"%d" % mid for mid in range(6, 51)]
        made.close()


def test_a_source_that_was_dropped_while_it_dialled_has_one_connection() -> None:
    with peer() as broker:
        made = source(broker.port)
        made._serve(0.0)
        until(lambda: sleep(0.01), lambda: broker.connects)  # the dial is done, and the source has not seen it
        made.drop()
        until(lambda: None, lambda: is_up(made))
        assert len(broker.connects) == 2
        broker.bring("shoe/T07/event", 7, b"once")
        came = received(made, 1)
        made.acknowledge(came)
        assert [each.body for each in came] == [b"once"]
        until(lambda: made._serve(0.01), lambda: broker.acked == [7])
        made.close()


def test_what_a_source_publishes_does_not_wait_for_answers_that_come_late() -> None:
    with Peer({5: ACCEPTED_5 + GRANTED_5}, acks=False) as broker:
        made = source(broker.port)
        until(lambda: made._serve(0.01), lambda: broker.asked)
        for n in range(1_000):
            made.publish("shoe/T07/stored", b"%d" % n)
        until(lambda: made._serve(0.01), lambda: len(broker.mids) + broker.at_qos_0 == 1_000)
        assert len(broker.mids) == Connection.most_in_flight
        made.close()


def test_a_connection_that_takes_no_message_is_ended() -> None:
    with peer() as broker:
        made = source(broker.port)
        until(lambda: made._serve(0.01), lambda: broker.asked)
        assert made._link is not None
        assert made._link._connection is not None
        client = made._link._connection._client
        client._max_queued_messages, client._out_messages[0] = 1, MQTTMessage(0)
        made.publish("shoe/T07/stored", b"1")
        assert not made.is_up
        until(lambda: made._serve(0.01), lambda: len(broker.connects) == 2 and made.is_up)
        made.close()


def test_as_many_messages_are_in_flight_as_a_broker_takes_that_says_nothing_of_it() -> None:
    with Peer({4: ACCEPTED_311 + GRANTED}, acks=False) as broker:
        session = Session(Address("ledger", port=broker.port), lambda: None)
        session.read({EVENTS: 1})
        for n in range(25):
            session.publish("shoe/T07/stored", b"%d" % n)
        until(lambda: sleep(0.01), lambda: len(broker.mids) == 20)
        sleep(QUIET_S)
        assert len(broker.mids) == 20
        for mid in list(broker.mids):
            broker.ack(mid)
        until(lambda: sleep(0.01), lambda: len(broker.mids) == 25)
        session.close()


def test_a_topic_that_is_asked_for_later_is_subscribed_at_once_and_again(mocker: MockerFixture) -> None:
    with Peer({4: ACCEPTED_311 + GRANTED}) as peer:
        subscribed = mocker.spy(Connection, "subscribe")
        session = Session(Address("ledger", port=peer.port), lambda: None)
        session.read({EVENTS: 1})
        until(lambda: sleep(0.01), lambda: session.is_connected)
        session.read({ROUNDS: 1})
        session.publish("shoe/T07/stored", b"{}")  # on its way once the topic was asked for
        until(lambda: sleep(0.01), lambda: len(peer.mids) == 1)
        assert [call.args[1] for call in subscribed.call_args_list[1:]] == [{ROUNDS: 1}]
        peer.hang_up()
        until(lambda: sleep(0.01), lambda: len(subscribed.call_args_list) == 3)
        assert subscribed.call_args.args[1] == {EVENTS: 1, ROUNDS: 1}
        session.close()
