"""Records of tables in PostgreSQL: what every store does with them, and what its roles may."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.floor.record.state import TrustedKey
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.schema import KEPT
from firmware_bridge.floor.verified.exported import Exported, proof
from firmware_bridge.floor.verified.records import Limits
from tests.floor.every_expiry import *  # noqa: F403  # what no store deletes
from tests.floor.every_record import *  # noqa: F403  # the tests of every store
from tests.floor.every_record import witness
from tests.floor.house import House
from tests.floor.test_record import *  # noqa: F403  # what an ingest does with records
from tests.floor.test_record_incidents import *  # noqa: F403  # and what it finds
from tests.floor_whole.cluster import Cluster

psycopg = pytest.importorskip("psycopg")


@pytest.fixture
def place(cluster: Cluster, database: str) -> str:
    """The lines of `[store]`."""
    return f'url = "{cluster.url(database)}"'


@pytest.fixture
def make_house(cluster: Cluster, database: str, tmp_path: Path) -> Iterator[Callable[..., House]]:
    from firmware_bridge.floor.store.postgres import PostgresStore

    made: list[House] = []

    def make(**more: Any) -> House:
        made.append(House(tmp_path / "none", opens=lambda: PostgresStore(cluster.url(database)), **more))
        return made[-1]

    yield make
    for each in made:
        each.store.close()


@pytest.fixture  # type: ignore[no-redef]  # those of SQLite
def house(make_house: Callable[..., House]) -> House:
    others = dict.fromkeys(("T05", "T06", "T08"), Limits())
    return make_house(limits={"T07": Limits(pending_mb=1), "T09": Limits(hours="10:00-04:00")} | others)


def test_a_store_that_was_rewritten_is_found(house: House) -> None:  # type: ignore[no-redef]  # that of SQLite
    table = house.table()
    house.enrol(table)
    table.play(4)
    assert house.rewritten() == []
    house.store._db.execute("alter table message disable trigger message_is_never_changed")
    change = "update message set body = decode(replace(encode(body, 'escape'), 'banker', 'player'), 'escape')"
    assert house.store._db.execute(f"{change} where topic = 'round' and seq = 2").rowcount == 1
    [found] = house.rewritten()
    assert "entry 2 of 1-fake: its round is not the one of its event" in found


@pytest.mark.usefixtures("real_names")
def test_the_roles_of_the_doc_keep_and_read_a_record(prepared: Cluster, tmp_path: Path) -> None:
    """The ingest verifies, enrols and witnesses; a reader exports, proves and counts, and changes nothing."""
    from firmware_bridge.floor.store.postgres import PostgresStore

    house = House(tmp_path / "none", opens=lambda: PostgresStore(prepared.url("floor", "floor_ingest")))
    table = house.table()
    house.enrol(table)
    table.play(3)
    house.table(seed=b"k" * 32, birth="00000001").play(1)  # waits, and is an incident
    house.store.expire_evidence("2001-01-01T00:00:00Z")
    size = house.store.logs()[0].size
    witness(house)
    assert house.store.close_incidents("T07", "new_birth", "by A and B: x", "now") == 1
    house.store.close()
    reader = PostgresStore(prepared.url("floor", "floor_reader"))
    assert [row[-2] for row in reader.rows("rounds", None, None)] == ["witnessed"] * 3
    assert len(list(Exported(reader, "T07").lines())) == size
    assert proof(reader, "T07", "1-fa4e:2").text.startswith("c2sp.org/tlog-proof@v1\n")
    assert reader.count("pending") > 0
    with pytest.raises(StoreError, match="permission denied for table record_key"):
        reader.put_key(TrustedKey("T07", table.key, "revoked", "A", "B", "now"))
    reader.close()


@pytest.mark.parametrize("role", ["floor_ingest", "floor_reader"])
def test_no_role_changes_what_a_record_keeps(prepared: Cluster, role: str) -> None:
    statements = [f"delete from {table}" for table in KEPT]
    statements += [f"truncate {table}" for table in KEPT]
    statements += [f"update {table} set {column} = ''" for table, column in
                   (("leaf", "head"), ("witnessed", "note"), ("evidence", "body"))]  # fmt: skip
    statements += [f"alter table {table} disable trigger all" for table in KEPT]
    if role == "floor_reader":
        statements += [f"insert into {table} select * from {table}" for table in KEPT]
        statements += ["delete from pending", "update log set witnessed = 9", "update incident set closed_at = 'x'"]
    for statement in statements:
        with (
            psycopg.connect(prepared.url("floor", role)) as db,
            pytest.raises(psycopg.errors.InsufficientPrivilege, match=r"permission denied|must be owner"),
        ):
            db.execute(statement)
