"""Reports and facts of PostgreSQL are what a second program reads in exported journals alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.floor.facts.compared import Played, differences
from tests.floor_whole.cluster import Cluster

pytest.importorskip("psycopg")


def test_reports_and_facts_are_those_of_the_journals(tmp_path: Path, cluster: Cluster, database: str) -> None:
    played = Played(tmp_path, 1_000, f'url = "{cluster.url(database)}"')
    assert differences(played) == []
    assert int(played.compact().split()[0]) >= 5
    assert differences(played) == []
    played.rebuild()
    assert differences(played) == []
