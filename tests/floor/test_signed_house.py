"""An ingest that signs, at a table that takes no unsigned message."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from tests.floor import real_house
from tests.floor.real_house import RealHouse
from tests.kit import broker as real
from tests.kit.backend import Backend

brokers, house, thief = real.brokers, real_house.house, real_house.thief  # fixtures


def sign(house: RealHouse, capsys: pytest.CaptureFixture[str]) -> None:
    """Give the ingest a key, and the table no other; both are stopped."""
    key = house.folder / "order-key"
    assert house.floor("key", "new", "floor", "--file", str(key)) == 0
    (row,) = tomllib.loads(capsys.readouterr().out)["orders"]
    floor, table = house.config, house.table.config_path
    floor.write_text(floor.read_text().replace("[ingest]\n", f'[ingest]\nkey_file = "{key}"\n'))
    orders = f'[[orders]]\nname = "floor"\nkey = "{row["key"]}"\nallows = ["resend", "stored"]\n'
    lines = [line for line in table.read_text().splitlines() if not line.startswith("commands =")]
    table.write_text("\n".join([*lines, orders]))


def stored(house: RealHouse) -> dict[str, Any]:
    """The entry up to which the table knows its store to be whole; empty for none."""
    found = house.table.ask(do="status")["broker"]["store"]["stored"]
    return dict(zip(("journal", "seq"), found, strict=True)) if found else {}


@pytest.mark.story
def test_stored_and_resend_of_an_ingest_with_a_key(
    house: RealHouse, thief: Backend, capsys: pytest.CaptureFixture[str]
) -> None:
    sign(house, capsys)
    house.open(enrolled=False)
    while not stored(house):
        house.table.pause(0.1)
    house.ingest.end()
    house.ingest.path.unlink()
    house.play()
    house.ingest.start()
    house.until(lambda: len(house.rounds()) == 3)
    assert house.kinds() == set()
    house.ingest.end()
    house.play()
    last = {"seq": house.table.ask(do="status")["seq"]}
    thief.publish("shoe/T07/stored", stored(house) | last | {"by": "floor"})
    thief.publish("shoe/T07/command", {"id": "1", "do": "resend", "since": "2026-01-01T00:00:00Z"})
    house.until(lambda: {"unsigned"} <= {each.get("code") for each in thief.on("reply")})
    assert stored(house)["seq"] < last["seq"]
