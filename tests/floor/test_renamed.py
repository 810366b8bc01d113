"""A table that gets another name: its journal is refused until its shoe is over, sent and put aside."""

import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.floor.config import load
from firmware_bridge.floor.store.open import open_store
from tests.floor.ingesting import Ingest
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import DaemonTable

broker, brokers, backend = real.broker, real.brokers, listening.backend  # fixtures


@pytest.fixture
def ingest(tmp_path: Path, broker: Broker) -> Iterator[Ingest]:
    (tmp_path / "store").mkdir()
    ingest = Ingest(tmp_path / "store", broker.port)
    ingest.start()
    yield ingest
    ingest.end()


@pytest.fixture
def named(tmp_path: Path, broker: Broker) -> Iterator[Callable[[str], DaemonTable]]:
    """Gives the one table of this test another name, in its config."""
    table = DaemonTable(tmp_path, broker.port)

    def named(name: str) -> DaemonTable:
        plain = {"id": name, "new_shoe": "auto", "burn": "none", "cut_earliest": "none"}
        table.configure(table=plain, mqtt={"stored": "floor"})
        return table

    yield named
    table.close()


def refused(table: DaemonTable) -> str:
    """What a daemon says that refuses to start."""
    assert table.start().fallen() == 78
    return table.log.splitlines()[-1]


def wait_until_stored(table: DaemonTable) -> None:
    """Waits until `shoe status` says `nothing waiting`."""
    while table.ask(do="status")["broker"]["waiting"]:
        table.pause(0.1)


def put_aside(remedy: str, journals: Path) -> None:
    """Carries out the steps that a refusal names, but those of systemd and its user."""
    assert "sudo systemctl stop firmware-bridge" in remedy
    ((source, target),) = re.findall(r"sudo mv (\S+) (\S+);", remedy)
    assert source == str(journals)
    Path(source).rename(target)
    (Path(target) / "calibration.toml").write_text("")
    ((kept, to),) = re.findall(r"sudo cp -p (\S+) (\S+);", remedy)
    journals.mkdir(mode=0o700)
    shutil.copy(kept, to)


def test_no_shoe_is_torn_in_two_and_the_store_of_both_names_is_whole(
    named: Callable[[str], DaemonTable], backend: Backend, ingest: Ingest
) -> None:
    table = named("T01").start()
    table.deal("9s Td Ts Tc 2s")
    table.stop()
    before = {path.name: path.read_bytes() for path in table.journal_dir.glob("*.journal")}

    said = refused(named("T99"))
    assert f'[table] id is "T99", and the journal in {table.journal_dir} is of table T01: its shoe 1 is open' in said
    assert 'write id = "T01" and start again; end the shoe (sudo shoe do close-shoe)' in said
    assert {path.name: path.read_bytes() for path in table.journal_dir.glob("*.journal")} == before

    table = named("T01").start()
    table.deal("3h 4d 5c")
    assert (answer := table.ask(do="close_shoe", by="anna"))["ok"], answer
    first = table.ask(do="status")["record"]
    wait_until_stored(table)
    table.stop()

    said = refused(named("T99"))
    assert "is open" not in said
    assert 'write id = "T01", or put the journal aside:' in said
    put_aside(said, table.journal_dir)
    table = named("T99").start()
    table.deal("9s Td Ts Tc 2s")
    wait_until_stored(table)
    second = table.ask(do="status")["record"]
    assert first["signed"]
    assert second["signed"]
    assert first["origin"] != second["origin"]
    refused_part = table.ask(do="resend", journal=next(iter(stored(ingest, "T01"))), by="anna")
    assert "is not on this disk" in str(refused_part)
    table.stop()

    assert ingest.counts() == (0, 0, 0)
    assert incidents(ingest) == []
    assert set(stored(ingest, "T01")).isdisjoint(stored(ingest, "T99"))
    sent = [(each.topic, each.payload["table"]) for each in backend.received if "table" in each.payload]
    assert {table for _, table in sent} == {"T01", "T99"}
    assert [topic for topic, table in sent if not topic.startswith(f"shoe/{table}/")] == []


def incidents(ingest: Ingest) -> list[tuple[object, ...]]:
    """What should not be, of all tables."""
    store = open_store(load(ingest.config), make=True)
    try:
        return list(store.rows("incidents", None, None))
    finally:
        store.close()


def stored(ingest: Ingest, table: str) -> dict[str, int]:
    """The journals of a table in the store, each with the number of its messages."""
    counts: dict[str, int] = {}
    key: Any
    for key in ingest.kept():
        if key[1] == table:
            counts[key[2]] = counts.get(key[2], 0) + 1
    return counts
