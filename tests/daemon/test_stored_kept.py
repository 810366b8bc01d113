"""No journal goes before the store has it, and a disk that fills meanwhile is told long before it is full."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.cli.check.broker import store
from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.config.load import load
from tests.kit import backend as listening
from tests.kit import broker as real
from tests.kit.backend import Backend
from tests.kit.broker import Broker
from tests.kit.daemon_table import BridgeTable
from tests.kit.delivered_record import numbers, record_half_days

broker, brokers, backend = real.broker, real.brokers, listening.backend  # fixtures

SHOES = 6


@pytest.fixture
def table(tmp_path: Path, broker: Broker, mocker: MockerFixture) -> Iterator[BridgeTable]:
    """A table with a shoe each half day so far, whose journals are kept for a day."""
    keep = {"dir": str(tmp_path / "journal"), "keep_days": 1}
    table = BridgeTable(tmp_path, broker.port, journal=keep, mqtt={"stored": "floor"})
    record_half_days(table.journal_dir, SHOES, mocker)
    yield table
    table.close()


def alarms(table: BridgeTable) -> list[str]:
    return [each.id for each in table.bridge.table.alarms().open]


def store_everything(table: BridgeTable, backend: Backend) -> None:
    for journal, seq in {line.public.journal: line.public.seq for line in table.lines()}.items():
        backend.publish("shoe/T07/stored", {"journal": journal, "seq": seq, "by": "floor"})
    table.until(lambda: not table.bridge.uplink.outbox.waiting)


def test_a_journal_goes_only_when_it_is_stored(table: BridgeTable, backend: Backend) -> None:
    table.start()
    table.deal("9s Td Ts Tc")
    table.until(lambda: table.bridge.uplink.outbox.acked == last(table))
    table.pause(1.5)  # a journal would go a second after its shoe
    assert numbers(table.journal_dir) == [0, 1, 2, 3, 4, 5, 6, 7]
    table.bridge.keeping.watch(1)
    assert alarms(table) == ["disk_low"]
    (found,) = store(Machine(load(table.config_path), table.bridge.control.status()))
    assert (found.level, "floor has nothing" in found.text) == ("OK", True)
    table.bridge.table.warn("store_silent", store="floor", seconds=60)
    (found,) = store(Machine(load(table.config_path), table.bridge.control.status()))
    assert found.level == "FAIL"
    store_everything(table, backend)
    synced: list[object] = []
    table.bridge.uplink.acknowledged.sync(synced.append)
    table.until(lambda: synced)
    table.bridge.keeping.watch(1)
    assert alarms(table) == []
    backend.publish("shoe/T07/command", {"id": "1", "do": "close_shoe"})
    table.until(lambda: table.bridge.table.shoe.status != "open")
    table.deal("9s Td Ts Tc")
    table.until(lambda: numbers(table.journal_dir)[0] == 1)


def last(table: BridgeTable) -> tuple[str, int]:
    line = table.lines()[-1].public
    return line.journal, line.seq
