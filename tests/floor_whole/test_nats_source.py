"""`NatsSource` at a real node: what comes again, what is heard live, and how tables get what is said to them."""

from __future__ import annotations

import asyncio
import tomllib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from paho.mqtt.client import Client, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from firmware_bridge.floor.config import NatsSection, parse
from firmware_bridge.floor.ingest import KEPT, LIVE, topics
from firmware_bridge.floor.source import Delivery
from tests.floor_whole import nats as real
from tests.floor_whole.nats import Cluster, Node, needs_nats
from tests.floor_whole.nats_floor import until
from tests.floor_whole.test_nats_doc import block
from tests.kit.patience import HANG_S, Patience

pytestmark = needs_nats
clusters = real.clusters  # fixture


class Table:
    """A client of MQTT 3.1.1 whose session stays, with what it has heard: topic, bytes, QoS."""

    def __init__(self, node: Node, *reads: str) -> None:
        self.heard: list[tuple[str, bytes, int]] = []
        self._reads, self._node = reads, node
        self._up = False

    def __enter__(self) -> Table:
        self._client = Client(
            CallbackAPIVersion.VERSION2, "T07", clean_session=False, protocol=MQTTProtocolVersion.MQTTv311
        )
        self._client.on_message = self._message
        self._client.on_connect = self._connected
        self._client.on_subscribe = self._subscribed
        self._up = False
        self._client.connect_async("127.0.0.1", self._node.mqtt)
        self._client.loop_start()
        until(lambda: self._up)
        return self

    def __exit__(self, *_: object) -> None:
        self._client.disconnect()
        self._client.loop_stop()
        self._client._reset_sockets()

    def say(self, name: str, body: bytes, qos: int = 1) -> None:
        self._client.publish(f"shoe/T07/{name}", body, qos, retain=not qos).wait_for_publish(HANG_S)

    def _connected(self, *_: Any) -> None:
        self._client.subscribe([(topic, 1) for topic in self._reads or ("shoe/T07/command",)])

    def _subscribed(self, *_: Any) -> None:
        self._up = True

    def _message(self, _client: Client, _data: object, message: MQTTMessage) -> None:
        self.heard.append((message.topic, bytes(message.payload), message.qos))


@pytest.fixture
def sources() -> Iterator[Callable[[Cluster], Any]]:
    from firmware_bridge.floor.source.nats.source import NatsSource

    made: list[NatsSource] = []

    def make(cluster: Cluster) -> NatsSource:
        config = NatsSection(servers=tuple(cluster.servers))
        made.append(NatsSource(config, None, topics("shoe", KEPT), topics("shoe", LIVE)))
        return made[-1]

    yield make
    for each in made:
        each.close()


def received(source: Any, count: int) -> list[Delivery]:
    """What comes, until it is so much."""
    came: list[Delivery] = []
    patience = Patience()
    while len(came) < count:
        assert not patience.is_over, came
        came += source.receive(100, 0.25)
    return came


def test_what_is_not_acknowledged_comes_again(clusters: Callable[..., Cluster], sources: Any) -> None:
    cluster = clusters()
    with Table(cluster.nodes[0]) as table:
        source = sources(cluster)
        until(lambda: source.receive(1, 0.1) == [] and source._client)
        for body in (b"1", b"2", b"3"):
            table.say("event", body)
        first = received(source, 3)
        assert [(each.topic, each.body) for each in first] == [("shoe/T07/event", body) for body in (b"1", b"2", b"3")]
        source.acknowledge(first[:1])
        source.drop()
        again = received(source, 2)
        assert {each.body for each in again} == {b"2", b"3"}
        source.acknowledge(again)
        table.say("round", b"4")
        assert [each.body for each in received(source, 1)] == [b"4"]


def test_health_is_heard_live_and_its_latest_is_enough(clusters: Callable[..., Cluster], sources: Any) -> None:
    cluster = clusters()
    with Table(cluster.nodes[0]) as table:
        source = sources(cluster)
        until(lambda: source.receive(1, 0.1) == [] and source._client)
        for body in (b"1", b"2", b"3"):
            table.say("health", body, qos=0)
        table.say("event", b"4")
        came: list[Delivery] = []
        while not {b"3", b"4"} <= {each.body for each in came}:
            came += received(source, 1)
        assert [each.topic for each in came].count("shoe/T07/event") == 1
        assert [each.body for each in came if each.topic == "shoe/T07/health"][-1] == b"3"
        source.acknowledge(came)


def test_a_table_that_is_away_is_notified_later_at_qos_1(clusters: Callable[..., Cluster], sources: Any) -> None:
    cluster = clusters(3)
    table, source = Table(cluster.nodes[0], "shoe/T07/stored"), sources(cluster)
    with table:
        until(lambda: source.receive(1, 0.1) == [] and source._client)
        source.publish("shoe/T07/stored", b"1")
        until(lambda: table.heard)
    source.publish("shoe/T07/stored", b"2")
    source.receive(1, 0.25)
    with table:
        until(lambda: len(table.heard) == 2)
    assert table.heard == [("shoe/T07/stored", b"1", 1), ("shoe/T07/stored", b"2", 1)]


def test_a_consumer_that_was_deleted_is_made_again(
    clusters: Callable[..., Cluster], sources: Any, caplog: pytest.LogCaptureFixture
) -> None:
    import nats

    async def delete() -> None:
        client = await nats.connect(cluster.servers)
        await client.jetstream().delete_consumer("$MQTT_msgs", "shoe-floor-ingest")
        await client.close()

    cluster = clusters()
    with Table(cluster.nodes[0]) as table:
        source = sources(cluster)
        until(lambda: source.receive(1, 0.1) == [] and source._client)
        asyncio.run(delete())
        until(lambda: source.receive(1, 0.25) == [] and caplog.text.count("was created only now") == 2)
        table.say("event", b"1")
        assert received(source, 1)[0].body == b"1"


USERS = """authorization { users = [
  { user: floor, password: "right" }
  { user: nobody, password: "right", permissions: { publish: ["x"], subscribe: ["_INBOX.>"] } } ] }"""


@pytest.mark.parametrize(
    ("user", "password", "wrong"),
    [
        ("floor", b"wrong", "it refuses user and password"),
        (None, None, "it refuses user and password"),
        ("floor", b"right", "no MQTT client has connected yet; run shoe-floor prepare"),
        ("nobody", b"right", "allow it in the permissions of this user"),
    ],
)
def test_what_keeps_us_out_is_named(
    user: str | None, password: bytes | None, wrong: str, clusters: Callable[..., Cluster]
) -> None:
    from firmware_bridge.floor.source.nats.consumer import NatsError, prepare

    cluster = clusters(more=USERS)
    config = NatsSection(servers=tuple(cluster.servers), username=user)
    with pytest.raises(NatsError) as raised:
        prepare(config, password, topics("shoe", KEPT))
    assert f"{cluster.servers[0]}: " in str(raised.value)
    assert wrong in str(raised.value)
    cluster.end()
    with pytest.raises(NatsError, match=r"refused|cannot be reached|failed"):
        prepare(config, password, topics("shoe", KEPT))


def test_the_config_of_the_document_is_one() -> None:
    config = parse(tomllib.loads(block("/etc/firmware-bridge/floor.toml")))
    assert len(config.nats.servers) == 3
    assert config.nats.consumer == "shoe-floor-ingest"
