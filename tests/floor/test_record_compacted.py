"""What a store in a file of SQLite gives to an auditor while the events of each shoe that is over are in a block."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.floor.record.message import Key
from tests.floor.every_expiry import *  # noqa: F403  # what no store deletes
from tests.floor.every_expiry import LATER, TODAY
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


def test_rounds_whose_events_expired_are_verified_by_their_own_signature(house: House) -> None:
    table = house.table()
    house.enrol(table)
    table.play(3)
    table.new_shoe()
    table.play(1)
    assert house.store.expire_events(Key("T07", "1-fake"), LATER, TODAY) > 0
    assert (house.rewritten(), house.proofs()) == ([], ["signed"] * 4)
    house.store._db.execute("drop trigger message_is_never_changed")
    house.store._db.execute(
        "update message set body = replace(body, 'banker', 'player') where seq = 2 and journal = '1-fake'"
    )
    [found] = house.rewritten()
    assert found.endswith("entry 2 of 1-fake: its round is not signed by its table")
