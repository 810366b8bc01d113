"""What the tests of the whole back office share."""

from collections.abc import Iterator

import pytest

from tests.floor_whole.cluster import Cluster, missing


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """One server of PostgreSQL for all tests that leave it running."""
    if why := missing():
        pytest.skip(why)
    made = Cluster()
    try:
        made.start()
        yield made
    finally:
        made.remove()


@pytest.fixture
def database(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of a new database."""
    name = f"floor_{abs(hash(request.node.nodeid))}"
    cluster.sql(f"create database {name}")
    yield name
    cluster.sql(f"drop database {name} with (force)")
