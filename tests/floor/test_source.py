"""The source of messages at a real broker: what it may not say."""

from collections.abc import Callable, Iterator
from time import monotonic

import pytest

from firmware_bridge.floor.config.sections import MqttSection
from firmware_bridge.floor.source.mqtt import MqttSource
from tests import broker as real
from tests.broker import Broker

brokers = real.brokers  # fixture
LIMIT_S = 60.0

Open = Callable[..., MqttSource]


@pytest.fixture
def opened() -> Iterator[Open]:
    """Makes sources that the broker has let in."""
    made: list[MqttSource] = []

    def make(broker: Broker, password: bytes | None = None, *, clean: bool = False, **options: str) -> MqttSource:
        config = MqttSection(port=broker.port, **options)  # type: ignore[arg-type]  # all are texts
        made.append(MqttSource(config, password, ["shoe/+/event", "shoe/+/status"], 10, clean=clean))
        assert made[-1].tried(LIMIT_S) is None
        return made[-1]

    yield make
    for each in made:
        each.close()


def until(source: MqttSource, condition: Callable[[list[bytes]], bool]) -> list[bytes]:
    """What comes until a condition on it is true."""
    give_up, came = monotonic() + LIMIT_S, list[bytes]()
    while not condition(came):
        assert monotonic() < give_up, f"{len(came)} messages; {source.fault}"
        found = source.receive(100, 0.2)
        source.acknowledge(found)
        came += [each.body for each in found]
    return came


def test_what_the_broker_does_not_take_is_named_once(
    brokers: Callable[..., Broker], opened: Open, caplog: pytest.LogCaptureFixture
) -> None:
    acl = "user floor\ntopic read shoe/#\ntopic write shoe/+/command\n"
    source = opened(brokers(users={"floor": "x"}, acl=acl), b"x", username="floor")
    for topic in ("shoe/T07/command", "shoe/T07/stored", "shoe/T07/stored", "shoe/T08/stored"):
        source.publish(topic, b"{}")
    until(source, lambda _: source.is_answered)
    assert list(source.refused) == ["stored"]
    told = [each.getMessage() for each in caplog.records if "takes nothing" in each.getMessage()]
    assert told == ["the broker takes nothing from us on shoe/T07/stored (Not authorized): let its acl allow it"]
