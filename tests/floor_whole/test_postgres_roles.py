"""The roles that docs/floor.md makes: what each may do, and what not, tried with its statements."""

from typing import Final, get_args

import pytest

from firmware_bridge.floor.record.message import Unread
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.store import Saved, What
from firmware_bridge.floor.store.closings import Closing
from firmware_bridge.floor.store.condition import Heartbeat
from firmware_bridge.floor.store.errors import StoreError
from tests.floor.every_store import KEY
from tests.floor.journals import AT, event, kept, round_of
from tests.floor_whole.cluster import Cluster
from tests.floor_whole.documented import as_postgres, documented

psycopg = pytest.importorskip("psycopg")

CLOSABLE: Final[tuple[What, ...]] = ("gaps", "conflicts", "quarantine", "closed")


def test_the_ingest_keeps_and_the_reader_reads(prepared: Cluster) -> None:
    from firmware_bridge.floor.store.postgres import PostgresStore

    ingest = PostgresStore(prepared.url("floor", "floor_ingest"))
    for whole in (1, 2):
        saved = [event(whole), round_of(whole, whole), event(1), event(1, kind="Other")]
        ingest.save(saved, [Unread("t", AT, "bad", b"")], [Progress(KEY, 3, whole, whole)])
    reader = PostgresStore(prepared.url("floor", "floor_reader"))
    assert len(kept(reader)) == 4
    for what in get_args(What):
        assert reader.count(what) == len(list(reader.rows(what, None, None)))
    assert reader.load(KEY).progress.whole == 2
    with pytest.raises(StoreError, match="permission denied for table message; use a role with this right"):
        reader.save([event(3)], [], [])
    for store in (ingest, reader):
        store.close()


def test_the_closer_closes_and_the_ingest_does_not(prepared: Cluster) -> None:
    from firmware_bridge.floor.store.postgres import PostgresStore

    ingest = PostgresStore(prepared.url("floor", "floor_ingest"))
    bad = Unread("t", AT, "bad", b"\xff")
    ingest.save([event(1), event(1, kind="Other")], [bad], [Progress(KEY, 3, 1, 9)])
    ingest.beat(Heartbeat("one", AT))
    by = Closing("ANNA", "why", AT)
    with pytest.raises(StoreError, match="permission denied for table closed; use a role with this right"):
        ingest.close_quarantine("", "", by)
    closer = PostgresStore(prepared.url("floor", "floor_closer"))
    assert closer.close_gap(KEY, 0, by) == 9
    assert (closer.close_conflicts(KEY, 1, "", by), closer.close_quarantine("", "", by)) == (1, 1)
    with pytest.raises(StoreError, match="permission denied for table message"):
        closer.save([event(3)], [], [])
    assert [ingest.count(what) for what in CLOSABLE] == [0, 0, 0, 3]
    for store in (ingest, closer):
        store.close()


@pytest.mark.parametrize("role", ["floor_ingest", "floor_reader", "floor_closer"])
def test_no_role_changes_or_deletes_a_message(prepared: Cluster, role: str) -> None:
    for statement in (
        *("update message set seq = 2", "delete from message", "truncate message", "drop table message"),
        *("alter table message disable trigger all", "delete from conflict", "delete from progress"),
        *("update closed set why = ''", "delete from closed"),
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
            db.execute("insert into quarantine values ('t', 'x', 'y', '', '')")


def test_a_role_that_may_not_make_the_tables_is_shown_who_does(cluster: Cluster, database: str) -> None:
    from firmware_bridge.floor.store.postgres import PostgresStore

    cluster.sql("create role stranger login")
    with pytest.raises(StoreError, match="the owner creates the tables: shoe-floor prepare"):
        PostgresStore(cluster.url(database, "stranger"))
    cluster.sql("drop role stranger")


def test_a_role_that_is_not_there_is_named(cluster: Cluster, database: str) -> None:
    from firmware_bridge.floor.store.postgres import PostgresStore

    store = PostgresStore(cluster.url(database))
    with pytest.raises(StoreError, match="create the role first"):
        store.grant('no"body', "reader")
    store.close()


def test_backup_and_restore_as_the_doc_says(prepared: Cluster) -> None:
    from firmware_bridge.floor.store.postgres import PostgresStore

    before = PostgresStore(prepared.url("floor", "floor_ingest"))
    before.save([event(1), event(1, kind="Other")], [Unread("t", AT, "bad", b"\xff")], [Progress(KEY, 3, 1, 1)])
    wanted = {what: list(before.rows(what, None, None)) for what in get_args(What)}
    before.close()
    lines = documented("Backup and restore")
    assert [line.split()[3] for line in lines] == ["pg_dump", "psql", "createdb", "pg_restore"]
    for line in lines:
        as_postgres(prepared, line)
    for role in ("floor_ingest", "floor_reader"):
        after = PostgresStore(prepared.url("floor", role))
        assert {what: list(after.rows(what, None, None)) for what in get_args(What)} == wanted
        assert after.load(KEY).progress == Progress(KEY, 3, 1, 1)
        if role == "floor_ingest":
            assert after.save([event(1), event(2)], [], []) == Saved(1, 1, 0)
            wanted["messages"] = list(after.rows("messages", None, None))
            wanted["shoes"] = list(after.rows("shoes", None, None))
        after.close()
    with pytest.raises(AssertionError, match="messages are never deleted"):
        prepared.sql("delete from message", "floor")
    prepared.sql("drop database floor_broken")
