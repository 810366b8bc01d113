"""28 messages of a foreign client, PostgreSQL."""

from pathlib import Path

from tests.floor.poison import survive
from tests.floor_whole.cluster import Cluster
from tests.kit import broker as real
from tests.kit.broker import Broker

broker, brokers = real.broker, real.brokers  # fixtures


def test_each_of_28_poison_messages_goes_where_it_should_and_nothing_is_lost(
    tmp_path: Path, broker: Broker, cluster: Cluster, database: str
) -> None:
    assert list(survive(tmp_path, broker, f'url = "{cluster.url(database)}"')) == []
