"""What a store in a file of SQLite gives to an auditor while the events of each shoe that is over are in a block."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.floor.every_expiry import *  # noqa: F403  # what no store deletes
from tests.floor.every_record import *  # noqa: F403  # the tests of every store
from tests.floor.house import CompactingHouse, House


@pytest.fixture
def place(tmp_path: Path) -> str:
    """The lines of `[store]`."""
    return f'path = "{tmp_path / "floor.db"}"'


@pytest.fixture
def make_house(tmp_path: Path) -> Iterator[Callable[..., House]]:
    made: list[House] = []

    def make(**more: Any) -> House:
        made.append(CompactingHouse(tmp_path / "floor.db", **more))
        return made[-1]

    yield make
    for each in made:
        each.store.close()
