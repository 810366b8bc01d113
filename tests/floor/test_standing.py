"""How the records of tables stand that no witness has seen: not enrolled, enrolled, begun anew, with incidents."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.floor.config import parse
from firmware_bridge.floor.record.state import Incident, TrustedKey
from firmware_bridge.floor.verified.standing import Standing, Watching, standings, watching
from tests.floor.house import House

pytest.importorskip("nacl")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path / "floor.db")
    yield made
    made.store.close()


def test_a_store_without_records_has_none(house: House) -> None:
    assert standings(house.store) == {}


def test_a_key_is_seen_until_it_is_enrolled_and_waits_for_no_quorum_until_then(house: House) -> None:
    table = house.table()
    table.play(2)
    house.wait(5)
    found = standings(house.store)["T07"]
    assert found.log
    assert found.log.vkey == table.key
    assert (found.seen, found.waits_since) == (house.store.record_keys()[0].at, "")
    house.enrol(table)
    found = standings(house.store)["T07"]
    assert found.seen == ""
    assert found.waits_since


def test_a_new_record_that_nobody_enrolled_is_seen_since_its_incident(house: House) -> None:
    table = house.table()
    house.enrol(table)
    table.play(1)
    house.wait(5)
    at = "2026-11-20T21:04:00.000Z"
    births = [Incident("T07", "new_birth", each, at, "a record that nobody enrolled") for each in ("a", "b")]
    house.store.put_incidents([*births, Incident("T08", "prev_null", "x", at, "two first rounds")])
    found = standings(house.store)
    assert (found["T07"].seen, len(found["T07"].incidents)) == (at, 2)
    assert found["T08"] == Standing(None, incidents=found["T08"].incidents)
    assert len(found["T08"].incidents) == 1


def test_a_key_before_its_first_checkpoint_stands_without_a_record(house: House) -> None:
    at = "2026-11-20T21:04:00.000Z"
    house.store.put_key(TrustedKey("T09", house.table("T09").key, "seen", "", "", at))
    assert standings(house.store)["T09"] == Standing(None, at)


def test_a_house_without_witnesses_watches_with_none() -> None:
    assert watching(parse({})) == Watching((), 0)
    assert watching(parse({"record": {"policy": "/nowhere/policy"}})).liars is None
