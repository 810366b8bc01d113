"""A store of the version before in PostgreSQL becomes one of this version by a command, and goes back by one."""

from __future__ import annotations

import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.floor.cli import main
from firmware_bridge.floor.store import FORMAT
from tests.floor.test_migrate import ANNA, OLD, Run, forked, killed_at, lines_of
from tests.floor_whole.cluster import Cluster
from tests.kit import kept_formats as kept
from tests.kit.nightly import EVERY

psycopg = pytest.importorskip("psycopg")

STRIDE = 1 if EVERY else 90


def load(url: str, folder: Path) -> None:
    """Load the kept rows into the tables that the version before made."""
    lines = kept.schema_of_postgres().splitlines()
    with closing(sqlite3.connect(kept.store(folder))) as rows, psycopg.connect(url) as db:
        db.execute("\n".join(line for line in lines if not line.startswith("\\")))
        db.execute("set search_path = public")
        db.execute("insert into store_version values (%s)", (OLD,))
        load_rows(rows, db)


def load_rows(rows: sqlite3.Connection, db: Any) -> None:
    types = (
        "select column_name, data_type from information_schema.columns where table_name = %s order by ordinal_position"
    )
    for (table,) in rows.execute("select name from sqlite_master where type = 'table' and name not like 'sqlite%'"):
        columns = db.execute(types, (table,)).fetchall()
        names = ", ".join(f'"{name}"' for name, _ in columns)
        truths = [n for n, (_, kind) in enumerate(columns) if kind == "boolean"]
        found = [list(each) for each in rows.execute(f"select {names} from {table}")]
        for each in found:
            for n in truths:
                each[n] = None if each[n] is None else bool(each[n])
        with db.cursor() as cursor:
            into = f"insert into {table} ({names}) overriding system value values ({', '.join(['%s'] * len(columns))})"
            cursor.executemany(into, found)


def written(folder: Path, url: str) -> Path:
    (folder / "key").write_bytes(kept.KEY)
    lines = f'[store]\nurl = "{url}"\n[ingest]\npseudonym_key_file = "{folder}/key"\n'
    (folder / "floor.toml").write_text(lines)
    return folder / "floor.toml"


@pytest.fixture
def url(cluster: Cluster, database: str, tmp_path: Path) -> str:
    (tmp_path / "rows").mkdir()
    load(cluster.url(database), tmp_path / "rows")
    return cluster.url(database)


@pytest.fixture
def config(url: str, tmp_path: Path) -> Path:
    return written(tmp_path, url)


@pytest.fixture
def run(config: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    def command(*words: str) -> tuple[int, str]:
        code = main(["--config", str(config), *words, "--backups", str(config.parent)])
        said = capsys.readouterr()
        return code, said.out + said.err

    return command


def content(url: str) -> dict[str, list[str]]:
    with psycopg.connect(url) as db:
        tables = db.execute("select tablename from pg_tables where schemaname = 'public'").fetchall()
        return {name: sorted(repr(row) for row in db.execute(f"select * from {name}").fetchall()) for (name,) in tables}


def test_it_goes_forward_and_back(run: Run, url: str, tmp_path: Path) -> None:
    before = content(url)
    code, said = run("migrate", "--dry-run")
    assert (code, "become pseudonyms" in said, "compressed by pg_dump" in said) == (0, True, True)
    assert content(url) == before
    code, said = run("migrate")
    assert (code, "8 summaries" in said) == (0, True), said
    after = content(url)
    changed = {"store_version", "message", "block", "fact_order", "fact_shoe", "quarantine", "pending"}
    assert {name for name in before if before[name] != after[name]} == changed
    hidden = [row for row in after["message"] if "void by" in row]
    assert all(f"void by {ANNA}: no" in row or "'T00'" in row for row in hidden)
    [dump] = tmp_path.glob(f"*.dump.format-{OLD}")
    assert dump.stat().st_mode & 0o777 == 0o600
    with psycopg.connect(url) as db, pytest.raises(psycopg.Error, match="messages are never changed"):
        db.execute("update message set seq = 2")
    code, said = run("migrate", "--back")
    assert (code, f"has format {OLD} again" in said) == (0, True), said
    assert content(url) == before
    assert run("migrate", "--back", str(OLD))[0] == 0
    assert run("migrate")[0] == 0
    assert content(url) == after


@pytest.mark.parametrize("name", ["shoe-floor", "another"])
def test_it_is_refused_while_an_ingest_has_the_store_open(
    run: Run, url: str, cluster: Cluster, database: str, name: str
) -> None:
    cluster.sql("create role ingests login; grant insert on message to ingests", database)
    before = content(url)
    who = url if name == "shoe-floor" else url.replace("postgres@", "ingests@")
    with psycopg.connect(who, application_name=name):
        code, said = run("migrate")
        assert (code, "another program has PostgreSQL" in said, "sudo systemctl stop" in said) == (1, True, True)
    assert content(url) == before
    cluster.sql("drop owned by ingests; drop role ingests", database)
    assert run("migrate")[0] == 0


def test_another_role_than_the_owner_is_refused(
    run: Run, url: str, cluster: Cluster, database: str, tmp_path: Path
) -> None:
    cluster.sql("create role somebody login; grant select on all tables in schema public to somebody", database)
    before = content(url)
    written(tmp_path, url.replace("postgres@", "somebody@"))
    code, said = run("migrate")
    assert (code, "the tables belong to the role postgres, and this is somebody" in said) == (1, True)
    cluster.sql("drop owned by somebody; drop role somebody", database)
    assert content(url) == before


def test_without_pg_dump_and_on_a_full_disk_nothing_is_changed(
    run: Run, url: str, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(url)
    with monkeypatch.context() as patch:
        patch.setattr("firmware_bridge.floor.store.migrations.postgres_database._program", lambda name: "/bin/false")
        assert "pg_dump: " in run("migrate")[1]

    def with_little_room() -> int:
        import resource

        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
        return main(["--config", str(config), "migrate", "--backups", str(config.parent)])

    assert forked(with_little_room) == 1
    assert content(url) == before
    assert [each.name for each in config.parent.glob("*dump*")] == []


@pytest.mark.parametrize("words", [("migrate",), ("migrate", "--back")], ids=" ".join)
def test_killed_at_any_step_it_is_done_or_not_and_the_next_one_does_it(
    run: Run, url: str, config: Path, cluster: Cluster, database: str, words: tuple[str, ...]
) -> None:
    if "--back" in words:
        assert run("migrate")[0] == 0
    before, to = content(url), (*words, "--backups", str(config.parent))
    cluster.sql(f"create database {database}_copy template {database}")
    count = lines_of(config, to)
    after = content(url)
    again = (*words, str(OLD)) if "--back" in words else words
    for number in sorted({*range(1, count, STRIDE), *range(max(1, count - 4), count)}):
        cluster.sql(f"drop database {database} with (force)")
        cluster.sql(f"create database {database} template {database}_copy")
        assert killed_at(number, config, to) == -signal.SIGKILL
        assert content(url) in (before, after)
        assert run(*again)[0] == 0
        assert content(url) == after
    cluster.sql(f"drop database {database}_copy with (force)")


def test_the_roles_may_after_it_what_they_might_before(prepared: Cluster, tmp_path: Path) -> None:
    """As docs/floor.md sets a server up: the owner migrates, and goes back."""
    kept_rows = tmp_path / "rows"
    kept_rows.mkdir()
    with closing(sqlite3.connect(kept.store(kept_rows))) as rows, psycopg.connect(prepared.url("floor")) as db:
        for each in ("code", "alarm", "by_name"):  # which the version before did not have
            db.execute(f"alter table fact_shoe drop column {each}")
        db.execute("create index if not exists fact_shoe_ended on fact_shoe (ended_at, dealt_by, why)")
        load_rows(rows, db)
        db.execute("update store_version set version = %s", (OLD,))
    grants = "select grantee, table_name, privilege_type from information_schema.role_table_grants order by 1, 2, 3"
    before = prepared.sql(grants, "floor")
    config = written(tmp_path, prepared.url("floor", "floor_owner"))
    for words, version in ((("migrate",), FORMAT), (("migrate", "--back"), OLD), (("migrate",), FORMAT)):
        assert main(["--config", str(config), *words, "--backups", str(tmp_path)]) == 0
        assert prepared.sql("select version from store_version", "floor") == str(version)
        assert prepared.sql(grants, "floor") == before
    assert (tmp_path / f"floor.dump.format-{OLD}").exists()
