"""A floor on NATS: real nodes, tables over MQTT 3.1.1, a real ingest, killed in turn: every message is stored once."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

from firmware_bridge.client.broker import Address, Session
from firmware_bridge.client.testing import FakeTable, fake_table
from tests.floor_whole import nats as real
from tests.floor_whole import nats_floor
from tests.floor_whole.nats import Cluster, Node, needs_nats
from tests.floor_whole.nats_floor import Floor, playing, until
from tests.kit.patience import HANG_S

pytestmark = needs_nats
clusters, floors = real.clusters, nats_floor.floors  # fixtures

AWAY_S = 20.0


def asked(table: FakeTable) -> list[dict[str, object]]:
    """The orders for a gap: what the cluster itself did not bring."""
    return [order for order in table.orders if order.get("journal")]


def until_acknowledged(floor: Floor, table: FakeTable) -> None:
    """Wait until the table knows that all it said is stored; its answers to orders are among it."""

    def last() -> int:
        payload = next(payload for topic, payload in reversed(table.sent) if topic == "event")
        return int(json.loads(payload)["seq"])

    until(
        lambda: table.stored and table.stored[-1].seq == last(), lambda: f"{table.stored[-3:]} of {last()}; {floor.log}"
    )


@contextmanager
def nothing_lost(floor: Floor, cluster: Cluster) -> Iterator[None]:
    """Let a table play at the first node meanwhile; in the end all that it said is stored, and it knows."""
    with fake_table("T07", port=cluster.nodes[0].mqtt) as table:
        with playing(table):
            yield
        floor.whole(table)
        until_acknowledged(floor, table)


def test_every_message_comes_once_and_is_acknowledged_to_the_table(
    clusters: Callable[..., Cluster], floors: Callable[..., Floor]
) -> None:
    cluster = clusters()
    floor = floors(cluster)
    floor.prepare()
    with fake_table("T07", port=cluster.nodes[0].mqtt) as table:
        table.play(10)
        floor.start()  # what was said before is there: the consumer has kept it
        table.play(10, {3: "repeat", 5: "restart", 9: "reorder"})
        floor.whole(table)
        until_acknowledged(floor, table)
        assert asked(table) == []
        before = len(table.orders)
        table.play(5, {2: "gap", 4: "correct", 5: "void"})
        floor.whole(table)
        until_acknowledged(floor, table)
        assert table.orders[before:]  # by its entries, or by the time since which the ingest lacks the whole record
    assert floor.end(signal.SIGTERM) == 0, floor.log


def test_a_table_with_a_point_in_its_name_is_kept_and_acknowledged(
    clusters: Callable[..., Cluster], floors: Callable[..., Floor]
) -> None:
    cluster = clusters()
    floor = floors(cluster)
    floor.prepare()
    floor.start()

    def take() -> None:
        while session.incoming:
            topic, payload, *_, ticket = session.incoming.popleft()
            table.handle(topic, payload)
            session.done([ticket] if ticket else [])

    session = Session(Address("pit-1-T07", port=cluster.nodes[0].mqtt), take)  # NATS takes no point in a client id
    table = FakeTable(session.publish, "pit.1-T07")
    session.read({"shoe/pit.1-T07/stored": 1})
    try:
        table.play(3)
        floor.whole(table)
        until_acknowledged(floor, table)
    finally:
        session.close()


def test_prepare_says_what_it_did_and_check_what_is_wrong(
    clusters: Callable[..., Cluster], floors: Callable[..., Floor]
) -> None:
    cluster = clusters(3)
    floor = floors(cluster)
    done = floor.run("check")
    assert done.returncode == 1
    assert "FAIL  nats       there is no consumer shoe-floor-ingest\n" in done.stdout
    assert "-> run shoe-floor prepare: until then" in done.stdout
    assert "the consumer shoe-floor-ingest was created" in floor.run("prepare").stdout
    assert "the consumer shoe-floor-ingest already exists" in floor.run("prepare").stdout
    done = floor.run("check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "OK    nats       the consumer shoe-floor-ingest: 0 messages wait, 0 are being stored" in done.stdout
    assert "3 copies, led by n" in done.stdout
    assert "of at most 1000 consumers" in done.stdout
    assert done.stdout.count("flushes each message to disk") == 3
    assert done.stdout.count("a cluster of 3, led by n") == 3
    cluster.nodes[2].kill()
    done = floor.run("check")
    assert done.returncode == 1
    assert f"FAIL  nats       {cluster.servers[2]}: " in done.stdout


def test_a_node_and_the_ingest_killed_in_mid_run_lose_nothing(
    clusters: Callable[..., Cluster], floors: Callable[..., Floor]
) -> None:
    cluster = clusters(3)
    floor = floors(cluster)
    floor.prepare()
    with ExitStack() as stack:
        tables = [stack.enter_context(fake_table(f"T0{i}", port=node.mqtt)) for i, node in enumerate(cluster.nodes)]
        floor.start()
        with playing(*tables):
            time.sleep(2.0)
            leader = led(cluster)
            leader.kill()
            time.sleep(3.0)
            floor.end()
            time.sleep(1.0)
            floor.start()
            leader.start()
            time.sleep(3.0)
            floor.end()
            floor.start()
            time.sleep(2.0)
        floor.whole(*tables)
        for table in tables:
            until_acknowledged(floor, table)


def test_elections_lose_nothing(clusters: Callable[..., Cluster], floors: Callable[..., Floor]) -> None:
    cluster = clusters(3)
    floor = floors(cluster)
    floor.prepare()
    floor.start()
    with nothing_lost(floor, cluster):
        for _ in range(3):
            time.sleep(1.0)
            asyncio.run(step_down(cluster))
        frozen = led(cluster)
        frozen.pause()
        time.sleep(6.0)
        frozen.resume()


def test_two_of_three_nodes_killed_lose_nothing(clusters: Callable[..., Cluster], floors: Callable[..., Floor]) -> None:
    cluster = clusters(3)
    floor = floors(cluster)
    floor.prepare()
    floor.start()
    with nothing_lost(floor, cluster):
        time.sleep(1.0)
        for node in cluster.nodes[1:]:
            node.kill()
        time.sleep(8.0)
        for node in cluster.nodes[1:]:
            node.start()
        cluster.ready()
        time.sleep(2.0)


def test_a_node_that_stands_still_is_left(clusters: Callable[..., Cluster], floors: Callable[..., Floor]) -> None:
    cluster = clusters(3)
    floor = floors(cluster)
    floor.prepare()
    floor.start()
    until(lambda: "connected to" in floor.log, lambda: floor.log)
    (frozen,) = (node for node in cluster.nodes if f"connected to nats://127.0.0.1:{node.port}" in floor.log)
    other = next(node for node in cluster.nodes if node is not frozen)
    with fake_table("T07", port=other.mqtt) as table:
        with playing(table):
            time.sleep(1.0)
            frozen.pause()
            time.sleep(2.0)
        try:
            floor.whole(table)
            until_acknowledged(floor, table)
        finally:
            frozen.resume()


def test_a_cluster_away_for_20_s_loses_nothing(clusters: Callable[..., Cluster], floors: Callable[..., Floor]) -> None:
    cluster = clusters()
    floor = floors(cluster)
    floor.prepare()
    floor.start()
    with nothing_lost(floor, cluster):
        time.sleep(1.0)
        cluster.nodes[0].kill()
        time.sleep(AWAY_S)
        cluster.start()


def led(cluster: Cluster) -> Node:
    """The node that leads the stream."""
    until(cluster.leader)
    leader = cluster.leader()
    assert leader
    return leader


async def step_down(cluster: Cluster) -> None:
    """Let stream and consumer choose other leaders."""
    import nats

    client = await nats.connect(cluster.servers)
    for what in ("STREAM.LEADER.STEPDOWN.$MQTT_msgs", "CONSUMER.LEADER.STEPDOWN.$MQTT_msgs.shoe-floor-ingest"):
        answer = await client.request(f"$JS.API.{what}", b"", timeout=HANG_S)
        assert b'"success":true' in answer.data, answer.data
    await client.close()
