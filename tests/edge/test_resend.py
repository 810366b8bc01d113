from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_mock import MockerFixture

from firmware_bridge.commands import BY_MQTT
from firmware_bridge.facts.orders import Answer
from tests.broker import free_port
from tests.system.table import BridgeTable


@pytest.fixture
def table(tmp_path: Path) -> Iterator[BridgeTable]:
    table = BridgeTable(tmp_path, free_port()).start()
    yield table
    table.close()


def ask(table: BridgeTable, **fields: Any) -> Answer:
    return table.bridge.uplink.order({"do": "resend"} | fields, BY_MQTT, "backend")


def test_a_command_acts_once_however_many_there_were(table: BridgeTable, mocker: MockerFixture) -> None:
    mocker.patch("firmware_bridge.shoe.evolve.ANSWERS_KEPT", 3)
    resend = mocker.patch.object(table.bridge.uplink.outbox, "resend")
    journal = table.bridge.table.shoe.journal
    for number in range(6):
        for _ in range(2):
            assert ask(table, id=str(number), journal=journal).ok
        assert resend.call_count == number + 1


def test_without_an_id_it_acts_each_time(table: BridgeTable, mocker: MockerFixture) -> None:
    resend = mocker.patch.object(table.bridge.uplink.outbox, "resend")
    for _ in range(2):
        assert ask(table, since="2020-01-01T00:00:00Z").ok
    assert resend.call_count == 2
