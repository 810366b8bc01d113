"""The real daemon at a NATS node, by MQTT 3.1.1: rounds, echo, reconnect, and what its store says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.floor.journals import made, published
from tests.floor_whole import nats as real
from tests.floor_whole import nats_floor
from tests.floor_whole.nats import Cluster, needs_nats
from tests.floor_whole.nats_floor import Floor
from tests.kit.command import status
from tests.kit.daemon_table import DaemonTable

pytestmark = needs_nats
clusters, floors = real.clusters, nats_floor.floors  # fixtures

ROUND = "9s Td Ts Tc"


def whole(daemon: DaemonTable, floor: Floor) -> None:
    """Wait until the store has what the journals make, and the table knows."""
    floor.until_kept(lambda: made(published(daemon.journal_dir)))
    daemon.until(lambda: (link := status(daemon)["broker"])["up"] and not link["waiting"])


def test_rounds_of_a_daemon_are_stored_through_kills_of_node_daemon_and_ingest(
    clusters: Callable[..., Cluster], floors: Callable[..., Floor], tmp_path: Path
) -> None:
    cluster = clusters()
    floor = floors(cluster)
    floor.prepare()
    floor.start()
    daemon = DaemonTable(tmp_path, cluster.nodes[0].mqtt, mqtt={"stored": "floor"})
    try:
        daemon.start()
        daemon.deal(ROUND)
        whole(daemon, floor)
        for kill in ("node", "daemon", "ingest"):
            daemon.deal(ROUND)
            if kill == "node":
                cluster.nodes[0].kill()
                daemon.deal(ROUND)
                cluster.start()
            elif kill == "daemon":
                daemon.kill()
                daemon.start()
            else:
                floor.end()
                daemon.deal(ROUND)
                floor.start()
        daemon.deal(ROUND)
        whole(daemon, floor)
        assert "MQTT protocol level 4" in daemon.log
    finally:
        daemon.close()
