"""`shoe-floor forward` from PostgreSQL to a real receiver."""

import pytest

from tests.floor.every_forward import *  # noqa: F403  # what it does whatever the engine
from tests.floor_whole.cluster import Cluster

psycopg = pytest.importorskip("psycopg")


@pytest.fixture
def where(cluster: Cluster, database: str) -> str:
    return f'url = "{cluster.url(database)}"'
