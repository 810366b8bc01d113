"""What the tests of the whole back office share."""

import os
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from firmware_bridge.floor.cli import main
from tests.floor_whole.cluster import Cluster, missing
from tests.floor_whole.documented import AS_POSTGRES, as_postgres, documented

MEMORY: Final = "/dev/shm"
ENOUGH: Final = 4 << 30
"""Bytes."""


def running(parent: str = "/tmp") -> Iterator[Cluster]:
    if why := missing():
        pytest.skip(why)
    made = Cluster(parent=parent)
    try:
        made.start()
        yield made
    finally:
        made.remove()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """One server of PostgreSQL for all tests that leave it running.

    It syncs as in a house, but into memory where there is enough: a database that is dropped waits for a checkpoint,
    which took seconds on a busy disk.
    """
    yield from running(MEMORY if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ENOUGH else "/tmp")


@pytest.fixture
def mortal() -> Iterator[Cluster]:
    """A server of PostgreSQL that may fail."""
    yield from running()


@pytest.fixture
def database(cluster: Cluster, request: pytest.FixtureRequest) -> Iterator[str]:
    """The name of a new database."""
    name = f"floor_{abs(hash(request.node.nodeid))}"
    cluster.sql(f"create database {name}")
    yield name
    cluster.sql(f"drop database {name} with (force)")


@pytest.fixture
def prepared(cluster: Cluster, tmp_path: Path) -> Iterator[Cluster]:
    """A server with the database and the roles of docs/floor.md, without passwords."""
    lines = documented("PostgreSQL")
    for line in lines:
        if line.startswith(AS_POSTGRES):
            as_postgres(cluster, line)
            continue
        (tmp_path / "owner.toml").write_text(f'[store]\nurl = "{cluster.url("floor", "floor_owner")}"\n')
        words = [str(tmp_path / word) if word == "owner.toml" else word for word in shlex.split(line)]
        assert main(words[1:]) == main(words[1:]) == 0
    yield cluster
    cluster.sql("drop database floor with (force)")
    for role in set(re.findall(r"floor_[a-z]+", "\n".join(lines))):
        cluster.sql(f"drop role {role}")
