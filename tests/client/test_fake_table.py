"""A floor reads a fake table with every fault; what is in the store is what the journals make."""

from __future__ import annotations

from collections import Counter
from time import monotonic

import pytest

from firmware_bridge.client.floor import PlainFloor
from firmware_bridge.client.items import Conflict, Item, Received
from firmware_bridge.client.testing import Fault, fake_table
from tests import broker as real
from tests.broker import Broker

brokers, broker = real.brokers, real.broker  # fixtures

FAULTS: dict[int, Fault] = {
    2: "repeat", 4: "gap", 6: "conflict", 8: "reorder", 10: "restart", 12: "void", 14: "correct", 15: "gap",
}  # fmt: skip
LIMIT_S = 30.0


def raws(items: list[Item]) -> list[bytes]:
    return [each.raw for each in items if isinstance(each, Received)]


def read_until(floor: PlainFloor, items: list[Item], count: int, *, events: bool = False) -> None:
    """Store what comes until there are so many messages."""
    end = monotonic() + LIMIT_S
    for batch in floor.messages() if events else floor.rounds():
        items += batch
        batch.stored()
        if len(raws(items)) >= count:
            return
        assert monotonic() < end


@pytest.mark.parametrize("events", [False, True])
def test_every_fault_is_mended_and_a_conflict_is_told(broker: Broker, events: bool) -> None:
    items: list[Item] = []
    with PlainFloor("ledger", port=broker.port, wait_s=0.2) as floor, fake_table(port=broker.port) as table:
        table.round()
        read_until(floor, items, 3 if events else 1, events=events)
        table.play(15, FAULTS)
        table.status()
        made = [payload for topic, payload in table.sent if events or topic == "round"]
        read_until(floor, items, len(made), events=events)
    assert Counter(raws(items)) == Counter(made)
    assert [type(each) for each in items if not isinstance(each, Received)] == [Conflict]
    assert table.stored[-1].seq == max(each.message.seq for each in items if isinstance(each, Received))
