"""Backups of each minute: what docs/floor.md says, run as it stands there, and the ingest goes on after a restore."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from firmware_bridge.client.testing import FakeTable
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.floor.house import House, commands
from tests.floor_whole.cluster import Cluster
from tests.floor_whole.documented import block_of, script_of, section_of
from tests.kit import patience
from tests.kit.patience import until

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="the commands of the page are those of root")
SUDO = """#!/usr/bin/env bash
[ "$1" = -u ] || exec "$@"
shift 2
exec setpriv --reuid=postgres --regid=postgres --init-groups -- "$@"
"""

Ran = Callable[[str], None]


def run(script: str, tmp_path: Path, serve: Ran, **more: str) -> None:
    """Run a script of the page. serve: called with each line for systemctl or shoe-floor instead."""
    sudo = tmp_path / "bin/sudo"
    sudo.parent.mkdir(exist_ok=True)
    sudo.write_text(SUDO)
    sudo.chmod(0o755)
    env = os.environ | {"PATH": f"{sudo.parent}:{more.pop('programs', '')}:{os.environ['PATH']}"} | more
    for number, part in enumerate(re.split(r"^sudo ((?:systemctl|shoe-floor) .*)\n", script, flags=re.M)):
        if number % 2:
            serve(part)
        elif part:
            done = patience.run(["bash", "-ec", part], env=env, cwd="/")
            assert done.returncode == 0, f"{part}: {done.stderr}"


def go_on(house: House, table: FakeTable) -> None:
    """Play a round, and let the table do what the ingest asks of it, until the store has all that it ever sent."""
    table.play(1)
    for _ in range(100):
        house.wait(1)
        orders, house.source.published[:] = list(house.source.published), []
        for topic, payload in orders:
            table.handle(topic, msgspec.json.encode(payload))
    assert bodies(house) == sorted(payload for _, payload in table.sent)


def bodies(house: House) -> list[bytes]:
    return sorted(str(each[-1]).encode() for each in house.store.rows("messages", None, None))


def checked(config: Path, lines: str, capsys: pytest.CaptureFixture[str]) -> str:
    config.write_text(f"[mqtt]\nport = 1\n[store]\n{lines}\n")
    return commands(config, capsys)("check")[1]


@AS_ROOT
def test_postgresql_is_restored_to_a_minute(
    mortal: Cluster, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from firmware_bridge.floor.store.postgres import PostgresStore

    page = section_of("Each minute in PostgreSQL")
    (backup := mortal.directory / "backup").mkdir(mode=0o755)
    place = {"PGHOST": str(mortal.directory), "PGPORT": str(mortal.port), "PGUSER": "postgres"}

    def here(text: str) -> str:
        return text.replace("/mnt/backup", str(backup)).replace(
            "/var/lib/postgresql/15/main", f"{mortal.directory}/data"
        )

    def systemctl(line: str) -> None:
        if "postgresql" in line and "stop" in line:
            mortal.stop(signal.SIGKILL)  # as a power cut does
        elif "postgresql" in line:
            mortal.stop()
            mortal.start()
            until(lambda: mortal.sql("select pg_is_in_recovery()") == "f")
        elif line.startswith("shoe-floor"):
            assert "OK    store" in checked(tmp_path / "floor.toml", f'url = "{mortal.url("postgres")}"', capsys)

    with (mortal.directory / "data/postgresql.conf").open("a") as file:
        file.write(here(block_of(page, "ini")))
    first = script_of(page, "sudo install")
    run(here(first), tmp_path, systemctl, programs=str(mortal.programs), **place)
    [base] = (backup / "base").iterdir()

    house = House(tmp_path / "none", opens=lambda: PostgresStore(mortal.url("postgres")))
    (table := house.table()).play(5)
    wanted, when = bodies(house), mortal.sql("select clock_timestamp()")
    table.play(5)
    mortal.sql("select pg_switch_wal()")
    until(lambda: any((backup / "wal").glob("*3.gz")))
    house.store.close()
    restore = re.sub(r"'\d{4}-\d\d-\d\d [\d:+]+'", f"'{when}'", script_of(page, "sudo systemctl stop"))
    restore = here(restore).replace("2026-11-22", base.name)
    run(restore, tmp_path, systemctl, programs=str(mortal.programs), **place)
    house.restart()
    assert bodies(house) == wanted
    go_on(house, table)
    house.store.close()


@AS_ROOT
def test_an_archive_that_takes_nothing_is_a_fault(mortal: Cluster, tmp_path: Path) -> None:
    from firmware_bridge.floor.store.postgres import PostgresStore

    with (mortal.directory / "data/postgresql.conf").open("a") as file:
        file.write("archive_mode = on\narchive_command = 'false'\n")
    mortal.stop()
    mortal.start()
    store = PostgresStore(mortal.url("postgres"))
    assert store.faults() == []
    mortal.sql("select pg_switch_wal()")
    until(lambda: store.faults() != [])
    assert "the server cannot archive 0000000100000000" in store.faults()[0]
    mortal.sql("alter system set archive_command = 'true'")
    mortal.sql("select pg_reload_conf()")
    until(lambda: store.faults() == [])
    store.close()


@contextmanager
def litestream(config: Path) -> Iterator[None]:
    """Litestream, until it is killed."""
    with (config.parent / "litestream.log").open("ab") as log:
        running = subprocess.Popen(["litestream", "replicate", "-config", str(config)], stdout=log, stderr=log)
        try:
            time.sleep(2.5)  # it looks each second
            yield
            time.sleep(2.5)
        finally:
            running.kill()
            running.wait()


@pytest.mark.skipif(shutil.which("litestream") is None, reason="litestream is missing")
def test_sqlite_is_restored_to_a_minute(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = section_of("Each minute in SQLite")
    (store := tmp_path / "store").mkdir()
    (backup := tmp_path / "backup").mkdir()

    def here(text: str) -> str:
        return text.replace("/var/lib/shoe-floor", str(store)).replace("/mnt/backup", str(backup))

    (config := tmp_path / "litestream.yml").write_text(here(block_of(page, "yaml")))
    house = House(store / "floor.db")
    table = house.table()
    with litestream(config):
        table.play(200)
    table.play(300)  # nobody copies it: the ingest writes it from the log into the file
    with litestream(config):
        table.play(50)
    wanted, when = bodies(house), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(time.time() + 1))
    time.sleep(3)
    with litestream(config):
        table.play(5)
    house.store.close()
    (store / "floor.db").write_bytes(b"the disk is broken " * 1000)

    def systemctl(line: str) -> None:
        if line.startswith("shoe-floor"):
            assert "OK    store" in checked(tmp_path / "floor.toml", f'path = "{store}/floor.db"', capsys)

    restore = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", when, here(script_of(page, "sudo systemctl stop")))
    restore = restore.replace("litestream restore", f"litestream restore -config {config}")
    run(restore, tmp_path, systemctl)
    house.restart()
    assert bodies(house) == wanted
    with litestream(config):
        go_on(house, table)
    house.store.close()
    again = tmp_path / "again.db"
    subprocess.run(["litestream", "restore", "-config", config, "-o", again, store / "floor.db"], check=True)
    house.store = SqliteStore(again)
    assert bodies(house) == sorted(payload for _, payload in table.sent)
    house.store.close()
