"""The reader of a store in a file of SQLite."""

from pathlib import Path

import pytest

from firmware_bridge.floor.config import FloorConfig, parse
from firmware_bridge.floor.store.open import open_reader
from tests.floor.every_past import *  # noqa: F403  # what every reader says of a table's past
from tests.floor.every_reader import *  # noqa: F403  # the tests of every reader


@pytest.fixture
def config(tmp_path: Path) -> FloorConfig:
    return parse({"store": {"path": str(tmp_path / "floor.db")}})


def test_a_file_that_is_not_there_is_not_made(config: FloorConfig, tmp_path: Path) -> None:
    assert open_reader(config) is None
    assert list(tmp_path.iterdir()) == []
