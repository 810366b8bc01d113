"""The source of messages at a real broker: what it may not say, how much it takes at once, and who takes its name."""

import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Thread

import pytest
from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion
from pytest_mock import MockerFixture

from firmware_bridge.floor.config import MqttSection
from firmware_bridge.floor.source.mqtt import MqttSource
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import HANG_S, Patience

brokers = real.brokers  # fixture

Open = Callable[..., MqttSource]


@pytest.fixture
def opened() -> Iterator[Open]:
    """Makes sources that the broker has let in."""
    made: list[MqttSource] = []

    def make(broker: Broker, user: str | None = None, *, clean: bool = False) -> MqttSource:
        config, password = MqttSection(port=broker.port, username=user), b"x" if user else None
        made.append(MqttSource(config, password, ["shoe/+/event", "shoe/+/status"], 10, clean=clean))
        assert made[-1].tried(HANG_S) is None
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def say(brokers: Callable[..., Broker]) -> Iterator[Callable[..., None]]:
    """Publishes at a broker, and waits for its answer."""
    made: list[Client] = []

    def publish(broker: Broker, topic: str, payload: bytes, *, retain: bool = False) -> None:
        client = Client(CallbackAPIVersion.VERSION2)  # two of one name would end each other
        client.connect("127.0.0.1", broker.port)
        client.loop_start()
        made.append(client)
        client.publish(topic, payload, 1, retain).wait_for_publish(HANG_S)

    yield publish
    for each in made:
        each.disconnect()
        each.loop_stop()
        each._reset_sockets()  # which a collector may find before their client


def until(source: MqttSource, condition: Callable[[list[bytes]], bool]) -> list[bytes]:
    """What comes until a condition on it is true."""
    patience, came = Patience(), list[bytes]()
    while not condition(came):
        assert not patience.is_over, f"{len(came)} messages; {source.fault}"
        found = source.receive(100, 0.2)
        source.acknowledge(found)
        came += [each.body for each in found]
    return came


def test_what_the_broker_does_not_take_is_named_once(
    brokers: Callable[..., Broker], opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    acl = "user floor\ntopic read shoe/#\ntopic write shoe/+/command\n"
    source = opened(brokers(users={"floor": "x"}, acl=acl), "floor")
    for topic in ("shoe/T07/command", "shoe/T07/stored", "shoe/T07/stored", "shoe/T08/stored"):
        source.publish(topic, b"{}")
    until(source, lambda _: source.is_answered)
    assert list(source.refused) == ["stored"]
    warnings = [each.getMessage() for each in caplog.records if "refuses our messages" in each.getMessage()]
    assert warnings == ["the broker refuses our messages on shoe/T07/stored (Not authorized): allow them in its ACL"]


@pytest.mark.parametrize("clean", [False, True])
def test_a_message_of_megabytes_stays_at_the_broker(
    brokers: Callable[..., Broker], opened: Open, say: Callable[..., None], clean: bool
) -> None:
    broker = brokers()
    source = opened(broker, clean=clean)
    say(broker, "shoe/T66/status", b"x" * 2**21, retain=True)
    for n in range(12):  # more than the window
        say(broker, "shoe/T66/event", b"x" * 2**21)
        say(broker, "shoe/T07/event", b"%d" % n)
    assert until(source, lambda came: b"11" in came) == [b"%d" % n for n in range(12)]
    source.drop()
    say(broker, "shoe/T66/event", b"x" * 2**21)
    say(broker, "shoe/T07/status", b"after", retain=True)
    assert until(source, lambda came: b"after" in came) == [b"after"]
    assert source.is_up


def test_a_second_client_of_one_name_is_reported(
    brokers: Callable[..., Broker], opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    broker = brokers()
    both = [opened(broker), opened(broker)]
    wanted = "(perhaps another client uses the client id shoe-floor-ingest: end it, or set [mqtt] client_id)"
    patience = Patience()
    while wanted not in caplog.text:
        assert not patience.is_over, caplog.text
        for each in both:
            each.receive(1, 0.1)


class Mute:
    """A broker that accepts connections, and of all packets answers at most CONNECT."""

    def __init__(self, answer: bytes) -> None:
        self._answer, self._socket = answer, socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._peers: list[socket.socket] = []
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with suppress(OSError):
            while True:
                peer, _ = self._socket.accept()
                self._peers.append(peer)
                peer.recv(4096)
                peer.sendall(self._answer)

    def close(self) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)  # ends what waits to accept; what is accepted until then is closed too
        self._thread.join()
        for each in (self._socket, *self._peers):
            each.close()


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [(b"", "does not answer"), (b"\x20\x03\0\0\0", "does not answer our subscription: see its log")],
)
def test_a_broker_that_does_not_answer_is_reported(
    answer: bytes, wanted: str, mocker: MockerFixture, caplog: pytest.LogCaptureFixture
) -> None:
    mocker.patch("firmware_bridge.floor.source.mqtt.SUBACK_S", 0.2)
    mocker.patch("firmware_bridge.mqtt.connection.CONNECT_S", 0.2)
    broker = Mute(answer)
    source = MqttSource(MqttSection(port=broker.port), None, ["shoe/+/event"], 10)
    try:
        until(source, lambda _: f"{broker.port} {wanted}" in caplog.text)
        assert source.fault == f"it {wanted.partition(':')[0]}"
        assert "SUCCESS" not in caplog.text
    finally:
        source.close()
        broker.close()


def test_a_broker_that_restarts_is_no_namesake(
    brokers: Callable[..., Broker], opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    broker = brokers()
    source = opened(broker)
    for _ in range(3):
        broker.stop()
        until(source, lambda _: not source.is_up)
        until(source, lambda _: "cannot be reached" in source.fault)
        broker.start()
        until(source, lambda _: source.is_up)
    assert "is gone" in caplog.text
    assert "another client" not in caplog.text
