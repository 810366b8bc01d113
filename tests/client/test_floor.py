"""A floor on a real broker: batches, back-off, gaps, conflicts, its own restart."""

from __future__ import annotations

from pathlib import Path

from firmware_bridge.client.floor import PlainFloor
from firmware_bridge.client.items import Received
from tests import broker as real
from tests.broker import Broker
from tests.system.table import BridgeTable

brokers, broker = real.brokers, real.broker  # fixtures


def test_rounds_of_a_table_come_and_are_said_to_be_stored(broker: Broker, tmp_path: Path) -> None:
    table = BridgeTable(tmp_path, broker.port)
    with PlainFloor("ledger", port=broker.port, wait_s=0.2) as floor:
        rounds = floor.rounds()
        table.start()
        table.deal("9sTdTsTc")
        batch = next(rounds)
        [told] = batch
        assert isinstance(told, Received)
        assert told.message.round == 1
        batch.stored()
    table.close()
