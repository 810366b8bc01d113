"""A few kills of daemon, broker, ingest and PostgreSQL; scripts/stored-kills --store postgres does 200."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from tests.floor.test_stored_kills import check_a_run_that_goes_on
from tests.floor_whole.cluster import missing


@pytest.mark.skipif(missing() is not None, reason=str(missing()))
def test_a_few_kills_in_any_order_lose_nothing_even_when_the_run_is_killed_too() -> None:
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        Path(folder).chmod(0o755)
        check_a_run_that_goes_on(Path(folder), "postgres")
