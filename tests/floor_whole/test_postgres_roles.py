"""The roles that docs/floor.md makes: what each may do, and what not, tried with its statements."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

import pytest

from firmware_bridge.floor.cli import main
from firmware_bridge.floor.ledger import Progress
from firmware_bridge.floor.message import Key, Unread
from firmware_bridge.floor.store import StoreError, What
from tests.floor.journals import AT, event, kept, round_of
from tests.floor_whole.cluster import Cluster

psycopg = pytest.importorskip("psycopg")

DOC = (Path(__file__).parents[2] / "docs/floor.md").read_text("utf-8")
LINES = [line.strip() for line in DOC.split("\n## PostgreSQL")[1].split("\n## ")[0].splitlines() if line[:4] == "    "]


@pytest.fixture
def prepared(cluster: Cluster, tmp_path: Path) -> Iterator[Cluster]:
    """A server after all that docs/floor.md says, but for the passwords."""
    socket = ("-h", str(cluster.directory), "-p", str(cluster.port), "-U", "postgres")
    for line in LINES:
        if line.startswith("sudo -u postgres "):
            program, *words = shlex.split(line.removeprefix("sudo -u postgres "))
            cluster.run(program, *socket, *(word for word in words if word != "--pwprompt"))
        else:
            (tmp_path / "owner.toml").write_text(f'[store]\nurl = "{cluster.url("floor", "floor_owner")}"\n')
            words = [str(tmp_path / word) if word == "owner.toml" else word for word in shlex.split(line)]
            assert main(words[1:]) == main(words[1:]) == 0
    yield cluster
    cluster.sql("drop database floor with (force)")
    for role in set(re.findall(r"floor_[a-z]+", "\n".join(LINES))):
        cluster.sql(f"drop role {role}")


def test_the_ingest_keeps_and_the_reader_reads(prepared: Cluster) -> None:
    from firmware_bridge.floor.postgres import PostgresStore

    ingest = PostgresStore(prepared.url("floor", "floor_ingest"))
    for whole in (1, 2):
        told = [event(whole), round_of(whole, whole), event(1), event(1, kind="Other")]
        ingest.save(told, [Unread("t", AT, "bad", b"")], [Progress(Key("T07", "3-5ad1"), 3, whole, whole)])
    reader = PostgresStore(prepared.url("floor", "floor_reader"))
    assert len(kept(reader)) == 4
    for what in get_args(What):
        assert reader.count(what) == len(list(reader.rows(what, None, None)))
    assert reader.load(Key("T07", "3-5ad1")).progress.whole == 2
    with pytest.raises(StoreError, match="permission denied for table message; use a role that may"):
        reader.save([event(3)], [], [])
    for store in (ingest, reader):
        store.close()


@pytest.mark.parametrize("role", ["floor_ingest", "floor_reader"])
def test_no_role_changes_or_deletes_a_message(prepared: Cluster, role: str) -> None:
    for statement in (
        *("update message set seq = 2", "delete from message", "truncate message", "drop table message"),
        *("alter table message disable trigger all", "delete from conflict", "delete from progress"),
        *("update store_version set version = 0", "update quarantine set reason = ''", "create table mine (x int)"),
        "create or replace view rounds as select 1",
    ):
        with (
            psycopg.connect(prepared.url("floor", role)) as db,
            pytest.raises(psycopg.errors.InsufficientPrivilege, match=r"permission denied|must be owner"),
        ):
            db.execute(statement)
    if role == "floor_reader":
        with psycopg.connect(prepared.url("floor", role)) as db, pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("insert into quarantine values ('t', 'x', 'y', '')")


def test_a_role_that_may_not_make_the_tables_is_told_who_does(cluster: Cluster, database: str) -> None:
    from firmware_bridge.floor.postgres import PostgresStore

    cluster.sql("create role stranger login")
    with pytest.raises(StoreError, match="tables are made by their owner: shoe-floor prepare"):
        PostgresStore(cluster.url(database, "stranger"))
    cluster.sql("drop role stranger")


def test_a_role_that_is_not_there_is_named(cluster: Cluster, database: str) -> None:
    from firmware_bridge.floor.postgres import PostgresStore

    store = PostgresStore(cluster.url(database))
    with pytest.raises(StoreError, match="make the role first"):
        store.grant('no"body', "reader")
    store.close()
