"""`shoe-floor record` as people use it: keys by two people, incidents as lines and objects, and a store verified."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.client.testing import FakeTable
from firmware_bridge.floor import service
from firmware_bridge.floor.config import load
from tests.floor.house import Floor, House, commands
from tests.kit.patience import until

PEOPLE = ("--by", "Anna", "--second", "Bo")


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path / "floor.db")
    yield made
    made.store.close()


@pytest.fixture
def floor(tmp_path: Path, house: House, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Floor:
    """Exit code and output of `shoe-floor record ..` on the store of the house."""
    monkeypatch.setattr("firmware_bridge.floor.check.ANSWER_S", 0.2)  # nobody is at port 1
    config = tmp_path / "floor.toml"
    config.write_text(f'[mqtt]\nport = 1\n[store]\npath = "{tmp_path / "floor.db"}"\n')
    return commands(config, capsys)


def test_a_key_that_was_seen_is_enrolled_by_two_people(house: House, floor: Floor) -> None:
    table = house.table()
    table.play(2)
    assert "T07  seen, not enrolled since" in floor("record", "show")[1]
    for second in ("anna", " A N N A", ""):
        code, said = floor("record", "enrol", "T07", table.key, "--by", "Anna", "--second", second or "Anna")
        assert (code, "two people do this" in said) == (1, True)
    assert floor("record", "enrol", "T07", table.key[:-2], *PEOPLE)[0] == 1
    code, said = floor("record", "enrol", "T07", table.key, *PEOPLE)
    assert (code, said.startswith("enrolled for table T07: shoe.invalid/T07/00000000, ")) == (0, True)
    [line] = floor("record", "show", "--json")[1].splitlines()
    shown = json.loads(line)
    assert (shown["trust"], shown["by"], shown["second"], shown["size"]) == ("enrolled", "Anna", "Bo", 4)
    assert "this key is enrolled for table T07" in floor("record", "enrol", "T08", table.key, *PEOPLE)[1]
    assert "enrolled since" in floor("record", "show")[1]
    assert floor("record", "revoke", "T07", table.key, "--until", "4", *PEOPLE) == (
        0,
        "revoked for table T07: it counts up to 4 entries\n",
    )
    assert "revoked above 4 since" in floor("record", "show")[1]


def test_incidents_are_listed_and_closed_by_two_people(house: House, floor: Floor) -> None:
    table = house.table()
    table.play(2)
    house.table(seed=b"k" * 32, birth="00000001").status()
    other = FakeTable(lambda *_: None, "T07", seed=b"k" * 32, birth="00000001")
    house.table(seed=b"k" * 32, birth="00000001").play(1)
    lines = floor("record", "incidents")[1].splitlines()
    assert any(line.split(" ")[1:3] == ["T07", "new_birth"] for line in lines)
    objects = [json.loads(line) for line in floor("record", "incidents", "--json")[1].splitlines()]
    assert [(each["at"], each["table"], each["kind"], each["text"]) for each in objects] == [
        (at, table, kind, text) for at, table, kind, text in (line.split(" ", 3) for line in lines)
    ]
    code, said = floor("check")
    assert code == 1
    assert "wrong   T07: new_birth: a record that nobody enrolled: " in said
    assert floor("record", "enrol", "T07", other.key, *PEOPLE)[0] == 0
    assert "new_birth" not in floor("record", "incidents")[1]
    for kind in {each["kind"] for each in objects} - {"new_birth"}:
        assert "closed" in floor("record", "close", "T07", kind, *PEOPLE, "--why", "a test")[1]
    assert floor("record", "incidents") == (0, "")
    assert floor("record", "close", "T07", "new_birth", *PEOPLE, "--why", "x")[0] == 1
    closed = floor("export", "incidents")[1]
    assert "by Anna and Bo: a test" in closed


def rewrite(house: House) -> None:
    house.store._db.execute("drop trigger message_is_never_changed")
    change = "update message set body = cast(replace(cast(body as text), '\"banker\"', '\"player\"') as blob)"
    assert house.store._db.execute(f"{change} where seq = 2").rowcount == 2


def test_a_rewritten_store_is_found_at_once_by_check(house: House, floor: Floor) -> None:
    table = house.table()
    house.enrol(table)
    table.play(4)
    assert "8 entries verified against the checkpoints" in floor("check", "--record")[1]
    rewrite(house)
    assert "wrong" not in floor("check")[1]
    said = floor("check", "--record")[1]
    assert "wrong   T07: rewritten: in the store, entry 2 of 1-fake: " in said
    assert "rewritten" in floor("record", "incidents")[1]


def test_a_rewritten_store_is_found_by_the_ingest_itself(
    house: House, floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Each hour what came since the night, each night everything."""
    monkeypatch.setattr(service, "FIRST_AUDIT_S", 0.0)
    monkeypatch.setattr(service, "AUDIT_S", 0.05)
    table = house.table()
    house.enrol(table)
    table.play(4)
    caplog.set_level("INFO")
    verification = service.Verification(load(tmp_path / "floor.toml"))
    try:
        until(lambda: "entries verified, 0 findings" in caplog.text)
        table.play(3)
        house.store._db.execute("drop trigger message_is_never_changed")
        done = house.store._db.execute("update message set body = body || ' ' where topic = 'event' and seq = 12")
        assert done.rowcount
        until(lambda: "rewritten" in house.kinds())
    finally:
        verification.close()
    [found] = house.store.incidents()
    assert (found.kind, found.place) == ("rewritten", "1-fake:12")
