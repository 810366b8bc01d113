from pathlib import Path
from threading import Thread

import pytest

from firmware_bridge.floor.cli import main
from firmware_bridge.floor.record.message import Key, Unread
from firmware_bridge.floor.record.progress import Progress
from firmware_bridge.floor.store import FORMAT, Saved, Store
from firmware_bridge.floor.store.errors import StoreError
from tests.floor.every_answer import *  # noqa: F403  # reports that have a name
from tests.floor.every_block import *  # noqa: F403  # what every store does with blocks
from tests.floor.every_closed import *  # noqa: F403  # what people close, and what an ingest says of itself
from tests.floor.every_facts import *  # noqa: F403  # what every store does with facts
from tests.floor.every_facts import changed
from tests.floor.every_feed import *  # noqa: F403  # what every store does with its feed
from tests.floor.every_ingest import *  # noqa: F403  # the tests of every ingest
from tests.floor.every_query import *  # noqa: F403  # the queries of docs/facts.md
from tests.floor.every_store import *  # noqa: F403  # the tests of every store
from tests.floor.every_store import Engine
from tests.floor.facts.played import rows
from tests.floor.journals import AT, event, round_of
from tests.floor_whole.cluster import Cluster

psycopg = pytest.importorskip("psycopg")


@pytest.fixture
def engine(cluster: Cluster, database: str) -> Engine:
    from firmware_bridge.floor.store.postgres import PostgresStore

    def execute(statement: str) -> None:
        cluster.sql(statement, database)

    other = "update store_version set version = {}"

    def content() -> object:
        """Everything but what the server counts and times."""
        tables = "select table_name, column_name, data_type from information_schema.columns order by 1, 2"
        return cluster.sql(tables, database), cluster.sql("select * from store_version", database)

    return Engine(lambda: PostgresStore(cluster.url(database)), execute, other, "bytea", content)


def test_long_bytes_go_into_conflict_and_quarantine(store: Store) -> None:
    first, other = event(1), event(1)._replace(body=b"x" * 100_000)
    assert store.save([first, other], [Unread("t" * 60_000, AT, "r" * 5_000, b"\0" * 100_000)] * 2, []) == Saved(
        1, 0, 1
    )
    assert (store.count("conflicts"), store.count("quarantine")) == (1, 1)


def test_two_writers_of_the_same_messages_keep_each_once(store: Store, cluster: Cluster, database: str) -> None:
    from firmware_bridge.floor.store.postgres import PostgresStore

    rows = [event(seq) for seq in range(1, 400)]
    found: list[Saved] = []

    def write(order: int) -> None:
        own = PostgresStore(cluster.url(database))
        for at in range(0, 400, 50):
            found.append(own.save(rows[at : at + 50][::order], [], []))
        own.close()

    threads = [Thread(target=write, args=(order,)) for order in (1, -1)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sum(each.fresh for each in found) == sum(each.repeats for each in found) == len(rows)
    assert store.count("messages") == len(rows)


def test_repeats_that_come_while_blocks_are_made_are_kept_once(engine: Engine, store: Store) -> None:
    journals = [f"{number}-aa" for number in range(1, 31)]
    rows = [event(seq, journal=journal, shoe=shoe) for shoe, journal in enumerate(journals, 1) for seq in range(1, 20)]
    progress = [Progress(Key("T07", journal), shoe, 19, 19, "") for shoe, journal in enumerate(journals, 1)]
    store.save(rows, [], [*progress, Progress(Key("T07", "99-next"), 99, 0, 0, "")])
    other, made, found = engine.open(), list[object](), list[Saved]()

    def pack() -> None:
        made.extend(other.compact(key, "2031-01-01T00:00:00.000Z") for key in other.over())

    def repeat() -> None:
        found.extend(store.save(rows[start : start + 19], [], []) for start in range(0, len(rows), 19))

    threads = [Thread(target=pack), Thread(target=repeat)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    other.close()
    assert [each.fresh for each in found] == [0] * len(journals)
    assert all(made)
    assert store._db.execute("select count(*) from message").fetchone() == (0,)
    assert store.count("messages") == len(rows) == len(list(store.rows("messages", None, None)))


@pytest.mark.parametrize("command", ["ingest", "metrics", "page", "prepare", "expire"])
def test_every_service_refuses_another_format(
    engine: Engine, cluster: Cluster, database: str, tmp_path: Path, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    engine.open().close()
    engine.execute(engine.other.format(2))
    before, config = engine.content(), tmp_path / "floor.toml"
    config.write_text(
        f'[store]\nurl = "{cluster.url(database)}"\nkeep_years = 7\n[mqtt]\nhost = "127.0.0.1"\nport = 9\n'
    )
    assert main(["--config", str(config), command]) == 78
    assert f"is a store of format 2, but this shoe-floor needs format {FORMAT}; inst" in capsys.readouterr().err
    assert engine.content() == before


def test_two_programs_make_the_tables_once(cluster: Cluster, database: str) -> None:
    from concurrent.futures import ThreadPoolExecutor

    from firmware_bridge.floor.store.postgres import PostgresStore

    with ThreadPoolExecutor(4) as pool:
        for made in pool.map(PostgresStore, [cluster.url(database)] * 4):
            made.close()


def test_another_encoding_is_refused(cluster: Cluster) -> None:
    from firmware_bridge.floor.store.postgres import PostgresStore

    cluster.sql("create database latin encoding latin1 locale 'C' template template0")
    with pytest.raises(StoreError, match=r"LATIN1.*--encoding UTF8"):
        PostgresStore(cluster.url("latin"))
    cluster.sql("drop database latin")


def test_a_server_that_may_lose_commits_is_named() -> None:
    from firmware_bridge.floor.store.postgres import PostgresStore

    own = Cluster("fsync=off")
    try:
        own.start()
        store = PostgresStore(own.url("postgres"))
        assert store.faults() == ["the server runs with fsync = off: a power cut loses messages"]
        store.close()
    finally:
        own.remove()


def test_no_faults_and_a_word_about_backups(store: Store, tmp_path: Path) -> None:
    store.save([event(1), round_of(1, 1)], [], [])
    assert store.faults() == []
    with pytest.raises(StoreError, match="pg_dump"):
        store.backup(tmp_path / "floor.dump")


def test_commits_wait_for_the_disk(store: Store, cluster: Cluster, database: str) -> None:
    from firmware_bridge.floor.store.postgres import PostgresStore

    for own, wanted in (("off", "on"), ("remote_apply", "remote_apply")):
        cluster.sql(f"alter database {database} set synchronous_commit = {own}")
        made = PostgresStore(cluster.url(database))
        assert made._db.execute("show synchronous_commit").fetchone() == (wanted,)
        made.close()


def test_a_password_comes_from_the_file_and_is_never_shown(cluster: Cluster, database: str, tmp_path: Path) -> None:
    from firmware_bridge.floor.config import parse
    from firmware_bridge.floor.store.open import open_store

    cluster.sql("create role keeper login password 'Sesame-7'")
    cluster.sql(f"alter database {database} owner to keeper")
    secret = tmp_path / "password"
    config = parse({"store": {"url": cluster.loopback(database, "keeper"), "password_file": str(secret)}})
    secret.write_text("Sesame-7\n")
    store = open_store(config)
    store.close()
    secret.write_text("Sesame-8\n")
    with pytest.raises(StoreError, match="password authentication failed") as raised:
        open_store(config)
    assert "Sesame" not in str(raised.value)
    cluster.sql(f"drop database {database} with (force)")
    cluster.sql("drop role keeper")
    cluster.sql(f"create database {database}")


def test_the_commands_work_on_a_database(
    store: Store, cluster: Cluster, database: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = event(1)._replace(at="2001-01-01T00:00:00Z", received_at="2001-01-01T00:00:00Z")
    new = round_of(1, 1, journal="4-6b")._replace(at="9999-01-01T00:00:00Z", received_at="9999-01-01T00:00:00Z")
    store.save([old, new], [], [Progress(old.key, 3, 1, 1)])
    config = f'[mqtt]\nport = 1\n[store]\nurl = "{cluster.url(database)}"\nkeep_years = 10\n'
    (tmp_path / "floor.toml").write_text(config)

    def run(*words: str) -> tuple[int, str]:
        code = main(["--config", str(tmp_path / "floor.toml"), *words])
        printed = capsys.readouterr()
        return code, printed.out + printed.err

    code, printed = run("check")
    assert code == 1
    assert "OK    store      the store can be read" in printed
    assert "the broker 127.0.0.1:1: it cannot be reached" in printed
    assert run("prepare")[0] == 0
    assert "the store is in PostgreSQL; run pg_dump --format=custom" in run("backup", "/nowhere")[1]
    assert run("expire")[1] == "deleted: table T07, journal 3-5ad1, 1 messages to 2001-01-01T00:00:00Z\n"
    code, printed = run("export", "messages")
    assert (code, printed.count('"table":"T07"')) == (0, 2)  # the second in the message itself
    assert '"journal":"4-6b"' in printed
    cluster.sql(f"alter database {database} allow_connections off")
    assert run("export", "messages")[0] == 1


def test_a_cursor_misses_no_change_of_writers_at_the_same_time(store: Store, cluster: Cluster, database: str) -> None:
    from threading import Thread

    from firmware_bridge.floor.store.fact_exports import Wanted
    from firmware_bridge.floor.store.postgres import PostgresStore

    tables = [f"T{number:02}" for number in range(3)]
    patterns = {table: next(each for each in rows("baccarat", table) if each.topic == "round") for table in tables}

    def write(table: str) -> None:
        own = PostgresStore(cluster.url(database))
        for number in range(1, 60):
            own.save([changed(patterns[table], seq=number, round=number)], [], [])
        own.close()

    threads = [Thread(target=write, args=(table,)) for table in tables]
    for each in threads:
        each.start()
    seen: set[tuple[object, ...]] = set()
    cursor, last_look = 0, False
    while not last_look:
        last_look = not any(each.is_alive() for each in threads)
        with store.facts(Wanted("fact_round", ("tbl", "round", "changed"), after=cursor)) as written:
            found = list(written.rows)
        assert all(cursor < each[2] <= written.change for each in found)  # type: ignore[operator]
        seen |= {each[:2] for each in found}
        cursor = written.change
    assert seen == {(table, number) for table in tables for number in range(1, 60)}
    assert cursor == 3 * 59
