"""No acknowledgement reaches the broker before its message is committed, whoever reads it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import pytest

from firmware_bridge.client.floor import Floor, PlainFloor
from firmware_bridge.client.testing import FakeTable
from firmware_bridge.floor.config import MqttSection
from firmware_bridge.floor.ingest import Ingest, topics
from firmware_bridge.floor.source import Delivery
from firmware_bridge.floor.source.mqtt import MqttSource
from firmware_bridge.floor.store.errors import StoreError
from firmware_bridge.floor.store.sqlite import SqliteStore
from tests.kit.patience import Patience, until
from tests.kit.peer import ACCEPTED_5, ACCEPTED_311, Peer

HELD_S = 0.3
MIDS = [1, 2, 3]


def until_acked(peer: Peer, count: int) -> None:
    until(lambda: peer.acked == MIDS[:count])


def rounds() -> list[bytes]:
    """Messages of the topic `round` of a table."""
    table = FakeTable(lambda topic, payload: None)
    table.play(len(MIDS))
    return table.rounds


def bring(peer: Peer, level: int) -> None:
    until(lambda: peer.asked)
    for mid, payload in zip(MIDS, rounds(), strict=True):
        peer.bring("shoe/T07/round", mid, payload, level)


@pytest.fixture
def peer() -> Iterator[Peer]:
    with Peer({4: ACCEPTED_311, 5: ACCEPTED_5}) as made:
        yield made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    made = SqliteStore(tmp_path / "floor.db")
    yield made
    made.close()


def received(source: MqttSource) -> list[Delivery]:
    found, patience = list[Delivery](), Patience()
    while len(found) < len(MIDS):
        assert not patience.is_over
        found += source.receive(100, 0.1)
    return found


@pytest.mark.parametrize("is_lost", [False, True])
def test_an_ingest_acknowledges_after_its_commit(
    peer: Peer, store: SqliteStore, monkeypatch: pytest.MonkeyPatch, is_lost: bool
) -> None:
    source, save, during = MqttSource(MqttSection(port=peer.port), None, topics("shoe"), 100), store.save, [[0]]

    def held(*rows: Any) -> Any:
        sleep(HELD_S)
        during[0] = list(peer.acked)
        if is_lost:
            raise StoreError("the disk is full")
        return save(*rows)

    source._serve(0.0)
    teller = Thread(target=bring, args=(peer, 5))
    teller.start()
    came = received(source)
    teller.join()
    monkeypatch.setattr(store, "save", held)
    try:
        Ingest(store, source).save(came)
    except StoreError:
        assert is_lost
    source.receive(1, HELD_S)
    assert during == [[]]
    if not is_lost:
        until(lambda: source.receive(1, 0.01) or peer.acked == MIDS)
    assert peer.acked == ([] if is_lost else MIDS)
    source.close()
    assert peer.acked == ([] if is_lost else MIDS)


def test_a_backend_is_acknowledged_for_after_its_commit(peer: Peer) -> None:
    with PlainFloor("ledger", port=peer.port) as floor:
        batches = floor.rounds()
        bring(peer, 4)
        stored = 0
        while stored < len(MIDS):
            batch = next(batches)
            sleep(HELD_S)
            assert peer.acked == MIDS[:stored]
            batch.stored()
            stored += len(batch)
            until_acked(peer, stored)


def test_an_asynchronous_backend_is_acknowledged_for_after_its_commit(peer: Peer) -> None:
    stored = 0

    async def read() -> None:
        nonlocal stored
        async with Floor("ledger", port=peer.port) as floor:
            batches = floor.rounds()
            await asyncio.to_thread(bring, peer, 4)
            while stored < len(MIDS):
                batch = await anext(batches)
                await asyncio.sleep(HELD_S)
                assert peer.acked == MIDS[:stored]
                await batch.stored()
                stored += len(batch)
                await asyncio.to_thread(until_acked, peer, stored)

    asyncio.run(read())
    assert stored == len(MIDS)
