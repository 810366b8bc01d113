"""A floor and a real daemon behind a real broker."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware_bridge.client.floor import Floor
from firmware_bridge.client.messages import Received
from firmware_bridge.client.payload import MessageError
from firmware_bridge.journal.messages import messages
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.daemon_table import BridgeTable
from tests.kit.patience import HANG_S, comes

brokers, broker = real.brokers, real.broker  # fixtures


@pytest.fixture
def table(broker: Broker, tmp_path: Path) -> Iterator[BridgeTable]:
    table = BridgeTable(tmp_path, broker.port)
    yield table
    table.close()


def made(table: BridgeTable, topics: tuple[str, ...]) -> list[bytes]:
    """What the journals make, those in which rounds were played: no round names another one."""
    sent = [each for line in table.lines() for each in messages(line)]
    played = {each.journal for each in sent if each.topic == "round"}
    return [each.payload for each in sent if each.topic in topics and each.journal in played]


async def read(floor: Floor, stored: list[bytes], table: BridgeTable, topics: tuple[str, ...]) -> None:
    """Store what comes until it is what the journals make."""
    async with asyncio.timeout(HANG_S):
        async for batch in floor.messages() if "event" in topics else floor.rounds():
            assert all(isinstance(each, Received) for each in batch)
            stored += [each.raw for each in batch if isinstance(each, Received)]
            await batch.stored()
            if Counter(made(table, topics)) <= Counter(stored):
                return


@pytest.mark.parametrize("topics", [("round",), ("event", "round")])
def test_what_was_played_before_it_came_is_asked_for_and_the_rest_comes(
    table: BridgeTable, broker: Broker, topics: tuple[str, ...]
) -> None:
    stored: list[bytes] = []
    table.start()
    table.deal("9sTdTsTc")
    table.deal("2s9h3dKd")

    async def begin() -> None:
        async with Floor("ledger", port=broker.port, wait_s=0.2) as floor:
            floor.messages() if "event" in topics else floor.rounds()
            await comes(lambda: "Sending SUBACK to ledger" in broker.log)
            answer = await floor.table("T07").next()
            assert not answer.ok or answer.do == "next"
            dealt.set()
            await read(floor, stored, table, topics)

    dealt = asyncio.Event()
    reading = table.loop.create_task(begin())
    table.loop.run_until_complete(dealt.wait())
    table.deal("9s8dTsTc")
    table.loop.run_until_complete(reading)

    async def again() -> None:
        async with Floor("ledger", port=broker.port, wait_s=0.2) as floor:
            floor.messages(known=stored) if "event" in topics else floor.rounds(known=stored)
            await read(floor, stored, table, topics)

    table.deal("9sTdTsTc")
    table.loop.run_until_complete(again())
    assert len(set(stored)) == len(stored)


def test_a_floor_waits_for_a_broker_that_is_not_there_yet(table: BridgeTable, broker: Broker) -> None:
    broker.stop()

    async def begin() -> None:
        async with Floor("ledger", port=broker.port, wait_s=0.2) as floor:
            floor.rounds()
            await comes(lambda: floor.trouble)  # it tried
            broker.start()
            assert (await floor.table("T07").bets_open()).id

    table.start()
    table.loop.run_until_complete(begin())


@pytest.mark.parametrize("known", [b"", b"{}", b'{"table": "T07"}'])
def test_what_is_known_must_be_messages(broker: Broker, known: bytes) -> None:
    async def begin() -> None:
        async with Floor("ledger", port=broker.port) as floor:
            floor.rounds(known=[known])

    with pytest.raises(MessageError, match="a payload in `known` is not a message"):
        asyncio.run(begin())
