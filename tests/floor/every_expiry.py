"""What of a record is never deleted from any store: the tests of each engine bring the fixtures of `every_record`."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.client import testing
from firmware_bridge.client.testing import FakeTable
from firmware_bridge.facts.events import BetsClosed
from firmware_bridge.floor import ingest
from firmware_bridge.floor.record.message import Key, now
from tests.floor.every_record import witness
from tests.floor.house import Floor, House
from tests.floor.journals import event
from tests.record.exports import KEYS

OLD = "2001-01-01T00:00:00.000Z"
LATER, TODAY = "2031-01-01T00:00:00.000Z", "2032-01-01T00:00:00.000Z"


def stays(house: House, *, quorum: bool) -> list[str]:
    """Why each old journal stays, by its name."""
    answered(house)
    return [each.stays for each in sorted(house.store.old(LATER, quorum=quorum))]


def answered(house: House) -> None:
    """The table sent what was asked for since its last journal; a fake one refuses that."""
    with house.store._transaction() as db:
        db.execute("update progress set since = ''")
    house.restart()


def expired(house: House, journal: str, *, quorum: bool) -> bool:
    return house.store.expire(Key("T07", journal), LATER, TODAY, quorum=quorum) is not None


def test_of_an_enrolled_table_only_what_a_checkpoint_verified_expires(house: House, floor: Floor) -> None:
    table = house.table()
    house.enrol(table)
    table.play(2)
    table.new_shoe()
    table.play(1)
    count, leaves = house.store.count("messages"), list(house.store.leaves(table.origin))
    topic, payload = table._entry(BetsClosed(round=2))[0]  # its checkpoint has not come yet
    house.send((f"shoe/T07/{topic}", payload))
    assert stays(house, quorum=False) == ["", "no checkpoint has verified 1 of its entries"]
    assert expired(house, "1-fake", quorum=False)
    assert not expired(house, "2-fake", quorum=False)
    assert 0 < house.store.count("messages") < count
    assert list(house.store.leaves(table.origin)) == leaves
    assert house.rewritten() == []
    assert house.proofs() == ["signed"]
    assert house.store.count("pending") == 1


def test_with_a_quorum_of_witnesses_only_what_they_cosigned_expires(house: House) -> None:
    table = house.table()
    house.enrol(table)
    table.play(2)
    table.new_shoe()
    witness(house)
    table.play(2)
    assert stays(house, quorum=True) == ["", "no quorum of witnesses has cosigned 4 of its entries"]
    assert stays(house, quorum=False) == ["", ""]
    assert not expired(house, "2-fake", quorum=True)
    assert expired(house, "1-fake", quorum=True)
    leaves = list(house.store.leaves(table.origin))
    assert len(leaves) == 9
    witness(house)
    assert expired(house, "2-fake", quorum=True)
    assert list(house.store.leaves(table.origin)) == leaves
    assert house.store.count("messages") == 0
    assert house.rewritten() == []
    house.restart()
    table.play(1)
    assert house.proofs() == ["signed"]
    assert house.kinds() == set()


def test_what_is_older_than_a_table_s_record_expires_as_before(house: House) -> None:
    """No checkpoint ever covers it; of the journal that the record began in, those of the record count."""
    old = house.table(seed=None)
    old.play(1)
    old.new_shoe()
    old.play(1)
    table = begin_a_record(house, old)
    house.enrol(table)
    table.play(1)
    assert stays(house, quorum=False) == ["", ""]
    assert stays(house, quorum=True)[0] == ""
    assert stays(house, quorum=True)[1].startswith("no quorum of witnesses has cosigned 2 ")


def begin_a_record(house: House, table: FakeTable) -> FakeTable:
    """Give a table without a key one, as it plays."""
    other = house.table()
    table._signer, table.key = other._signer, other.key
    return table


def test_a_table_that_nobody_enrolled_expires_as_before(house: House) -> None:
    house.table().play(2)
    house.table("T08", seed=None).play(2)
    assert stays(house, quorum=True) == ["", ""]


def test_expire_says_what_it_kept_and_why(
    house: House, floor: Floor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The quorum of floor.toml says whether it must be witnessed."""
    for module in (testing, ingest):
        monkeypatch.setattr(module, "AT" if module is testing else "now", OLD if module is testing else lambda: OLD)
    table = house.table()
    house.enrol(table)
    table.play(2)
    table.new_shoe()
    witness(house)
    table.play(1)
    house.store.save([event(1, journal="9-ab")._replace(at=now(), received_at=now())], [], [])
    said = f"table T07, journal 1-fake, 8 messages to {OLD}", f"table T07, journal 2-fake, 3 messages to {OLD}"
    without = (tmp_path / "floor.toml").read_text()
    rows = [f'[[witness]]\nvkey = "{key.vkey}"\nurl = "https://w.example/{name}"\n' for name, key in KEYS.items()]
    (tmp_path / "floor.toml").write_text(without + "".join(rows))
    answered(house)
    why = "no quorum of witnesses has cosigned 2 of its entries"
    for words, done, leaves in (
        (["--dry-run"], "would be deleted", ""),
        ([], "deleted", "; 5 leaves of its record are kept"),
    ):
        lines = {f"{done}: {said[0]}{leaves}", f"kept: {said[1]}: {why}"}
        assert set(floor("expire", *words)[1].splitlines()) == lines
    (tmp_path / "floor.toml").write_text(without)
    assert floor("expire") == (0, f"deleted: {said[1]}; 2 leaves of its record are kept\n")
    assert len(list(house.store.leaves(table.origin))) == 7
