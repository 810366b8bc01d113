"""A real table that waits for a floor's `stored`, and a floor that died between its commit and that word."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.client.floor import Floor
from firmware_bridge.client.messages import Received
from firmware_bridge.journal.messages import messages
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.daemon_table import BridgeTable
from tests.kit.patience import HANG_S

brokers, broker = real.brokers, real.broker  # fixtures


@pytest.fixture
def table(broker: Broker, tmp_path: Path) -> Iterator[BridgeTable]:
    table = BridgeTable(tmp_path, broker.port, mqtt={"stored": "ledger"})
    yield table
    table.close()


def test_what_was_committed_before_it_died_is_said_to_be_stored_by_the_next_run(
    table: BridgeTable, broker: Broker
) -> None:
    stored: set[bytes] = set()

    def journals() -> set[bytes]:
        return {each.payload for line in table.lines() for each in messages(line)}

    async def commit() -> None:
        """Store all that there is, and never say so."""
        async with asyncio.timeout(HANG_S), Floor("ledger", port=broker.port, wait_s=0.2) as floor:
            async for batch in floor.messages():
                stored.update(each.raw for each in batch if isinstance(each, Received))
                if dealt.is_set() and stored == journals():
                    return

    async def begin_again() -> None:
        async with asyncio.timeout(HANG_S), Floor("ledger", port=broker.port, wait_s=0.2) as floor:
            reading = asyncio.create_task(keep(floor))
            while table.bridge.uplink.queue():
                await asyncio.sleep(0.02)
            reading.cancel()

    async def keep(floor: Floor) -> None:
        """Store what is new, if anything is: an entry that the table wrote meanwhile."""
        async for batch in floor.messages(known=list(stored)):
            assert not stored & {each.raw for each in batch if isinstance(each, Received)}
            await batch.stored()

    dealt = asyncio.Event()
    table.start()
    committing = table.loop.create_task(commit())
    table.deal("9sTdTsTc")
    dealt.set()
    table.deal("9s")
    table.loop.run_until_complete(committing)
    assert table.bridge.uplink.queue()
    table.loop.run_until_complete(begin_again())
