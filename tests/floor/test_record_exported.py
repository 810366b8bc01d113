"""What a store in a file of SQLite gives to an auditor."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.floor.store.sqlite import SqliteStore
from firmware_bridge.floor.verified.commands import NotDone
from firmware_bridge.floor.verified.exported import Exported, proof
from tests.floor.every_expiry import *  # noqa: F403  # what no store deletes
from tests.floor.every_record import *  # noqa: F403  # the tests of every store
from tests.floor.every_record import signed_table
from tests.floor.house import House


@pytest.fixture
def place(tmp_path: Path) -> str:
    """The lines of `[store]`."""
    return f'path = "{tmp_path / "floor.db"}"'


@pytest.fixture
def make_house(tmp_path: Path) -> Iterator[Callable[..., House]]:
    made: list[House] = []

    def make(**more: Any) -> House:
        made.append(House(tmp_path / "floor.db", **more))
        return made[-1]

    yield make
    for each in made:
        each.store.close()


def test_an_entry_that_lost_a_message_is_shown_to_nobody(
    make_house: Callable[..., House], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    house = make_house()
    record = signed_table(house, tmp_path)
    head = next(line.public for line in record.lines if len(line.public.events) > 1)
    real = SqliteStore.stored_rows
    monkeypatch.setattr(
        SqliteStore, "stored_rows", lambda *words: [row for row in real(*words) if (row.topic, row.n) != ("event", 1)]
    )
    with pytest.raises(NotDone, match="is not in the store as it was verified"):
        list(Exported(house.store, "T07").lines())
    with pytest.raises(NotDone, match=f"{head.journal}:{head.seq} is not in the store as it was verified"):
        proof(house.store, "T07", f"{head.journal}:{head.seq}")
