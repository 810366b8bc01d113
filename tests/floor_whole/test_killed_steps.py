"""Commands that are killed at each of their steps, PostgreSQL."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.floor.every_killed import *  # noqa: F403  # the tests of each engine
from tests.floor.every_killed import Kept
from tests.floor_whole.cluster import Cluster

pytest.importorskip("psycopg")


class KeptDatabase(Kept):
    """A database, which is a copy of another one."""

    def __init__(self, folder: Path, cluster: Cluster, name: str) -> None:
        super().__init__(folder)
        self._cluster, self._name, self._copy = cluster, name, f"{name}_copy"
        self.lines = f'url = "{cluster.url(name)}"'

    def keep(self) -> None:
        self._cluster.sql(f"create database {self._copy} template {self._name}")

    def restore(self) -> None:
        self._cluster.sql(f"drop database {self._name} with (force)")
        self._cluster.sql(f"create database {self._name} template {self._copy}")

    def remove(self) -> None:
        """Delete the copy."""
        self._cluster.sql(f"drop database {self._copy} with (force)")


@pytest.fixture
def kept(tmp_path: Path, cluster: Cluster, database: str) -> Iterator[Kept]:
    made = KeptDatabase(tmp_path, cluster, database)
    made.prepare()
    yield made
    made.remove()
