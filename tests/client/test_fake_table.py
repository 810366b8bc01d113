"""A floor reads a fake table with every fault; what is in the store is what the journals make."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from itertools import pairwise
from time import monotonic, sleep

import pytest
from paho.mqtt.publish import single

from firmware_bridge.client.broker import FloorError
from firmware_bridge.client.floor import Floor, PlainFloor
from firmware_bridge.client.giving import NoAnswer
from firmware_bridge.client.items import Conflict, Item, Received, Refused, Unreadable
from firmware_bridge.client.reading import FloorInUse, NotThisBatch
from firmware_bridge.client.testing import FakeTable, Fault, fake_table
from firmware_bridge.facts.orders import Resend
from firmware_bridge.facts.wire import Stored
from tests import broker as real
from tests.broker import Broker

brokers, broker = real.brokers, real.broker  # fixtures

FAULTS: dict[int, Fault] = {
    2: "repeat", 4: "gap", 6: "conflict", 8: "reorder", 10: "restart", 12: "void", 14: "correct", 15: "gap",
}  # fmt: skip
LIMIT_S = 30.0


def raws(items: list[Item]) -> list[bytes]:
    return [each.raw for each in items if isinstance(each, Received)]


def logged(broker: Broker, what: str, times: int) -> None:
    end = monotonic() + LIMIT_S
    while broker.log.count(what) < times:
        assert monotonic() < end
        sleep(0.01)


def subscribed(broker: Broker, by: str, times: int = 1) -> None:
    logged(broker, f"Sending SUBACK to {by}", times)


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
        floor.messages() if events else floor.rounds()
        subscribed(broker, "ledger")
        table.play(15, FAULTS)
        table.status()
        made = [payload for topic, payload in table.sent if events or topic == "round"]
        read_until(floor, items, len(made), events=events)
    assert Counter(raws(items)) == Counter(made)
    assert [type(each) for each in items if not isinstance(each, Received)] == [Conflict]
    assert table.stored[-1].seq == max(each.message.seq for each in items if isinstance(each, Received))


def test_a_batch_that_is_left_comes_again_and_other_tables_go_on(broker: Broker) -> None:
    with PlainFloor("ledger", port=broker.port) as floor:
        floor.rounds()
        subscribed(broker, "ledger")
        with fake_table("T01", port=broker.port) as bad, fake_table("T02", port=broker.port) as good:
            bad.play(30)
            came: list[tuple[float, tuple[bytes, ...]]] = []
            while len(came) < 3:
                with suppress(ZeroDivisionError):
                    for batch in floor.rounds():
                        if batch.tables == ("T01",):
                            came.append((monotonic(), tuple(raws(list(batch)))))
                            good.play(30)
                            raise ZeroDivisionError
                        batch.stored()
            waits = [later - before for (before, _), (later, _) in pairwise(came)]
            assert 1.0 <= waits[0] < 2.0 <= waits[1]
            assert all(came[0][1] == again[: len(came[0][1])] for _, again in came)
            assert good.stored
            read_until(floor, [], 30)


def test_after_a_restart_of_its_own_it_knows_what_was_stored(broker: Broker) -> None:
    stored: list[Item] = []
    with fake_table(port=broker.port) as table:
        with PlainFloor("ledger", port=broker.port) as floor:
            floor.rounds()
            subscribed(broker, "ledger")
            table.play(3)
            read_until(floor, stored, 3)
            table.play(2)
            left = next(floor.rounds())  # what is not stored is not acknowledged
            assert len(left)
        table.round("gap")
        table.play(2)
        with PlainFloor("ledger", port=broker.port, wait_s=0.2) as floor:
            floor.rounds(known=raws(stored))
            read_until(floor, stored, 8)
    assert Counter(raws(stored)) == Counter(table.rounds)
    assert [order["from"] for order in table.orders] == [11]


def test_a_broker_that_starts_anew_without_its_sessions_loses_nothing(broker: Broker) -> None:
    stored: list[Item] = []
    with fake_table(port=broker.port) as table, PlainFloor("ledger", port=broker.port, wait_s=0.2) as floor:
        floor.rounds()
        subscribed(broker, "ledger")
        table.play(3)
        read_until(floor, stored, 3)
        broker.kill()
        table.play(2)
        broker.start()
        subscribed(broker, "ledger", 2)
        table.play(1)
        read_until(floor, stored, 6)
    assert Counter(raws(stored)) == Counter(table.rounds)


def test_a_journal_that_is_lost_is_told_once_and_not_asked_for_again(broker: Broker) -> None:
    with fake_table(port=broker.port) as table, PlainFloor("ledger", port=broker.port, wait_s=0.1) as floor:
        table.play(3)
        logged(broker, "Received PUBLISH from fake-T07", 10)  # a status, and nine that nobody gets
        table.forget(table.journal)
        table.new_shoe()
        floor.rounds()
        subscribed(broker, "ledger")
        table.round()
        items: list[Item] = []
        for batch in floor.rounds():
            items += batch
            batch.stored()
            if isinstance(items[-1], Refused):
                break
        assert [type(each) for each in items] == [Received, Refused]
        assert items[-1].final
        assert items[-1].asked == Resend(journal="1-fake", start=1, to=6)
        sleep(0.5)
        table.round()
        read_until(floor, items, 2)
        assert len(table.orders) == 1
        end = monotonic() + LIMIT_S
        while table.stored[-1:] != [Stored(journal="2-fake", seq=4, by="ledger")]:
            assert monotonic() < end
            sleep(0.01)


def test_orders_are_answered_and_no_id_is_used_twice(broker: Broker) -> None:
    with fake_table(port=broker.port) as table, PlainFloor("desk", port=broker.port) as floor:
        assert floor.table("T07").void("misdeal").ok
        assert floor.table("T07").mark("S", 3, round=1, turn=2).do == "mark"
        with pytest.raises(NoAnswer, match=r"table T99 did not answer next within 0\.5 s"):
            floor.table("T99", answer_s=0.5).next()
    with PlainFloor("desk", port=broker.port) as floor, fake_table(port=broker.port) as again:
        assert floor.table("T07").next().ok
    ids = [order["id"] for order in (*table.orders, *again.orders)]
    assert len(set(ids)) == len(ids) == 3


def test_the_twin_for_async_reads_and_gives_orders(broker: Broker) -> None:
    async def read(table: FakeTable) -> list[Item]:
        items: list[Item] = []
        async with Floor("ledger", port=broker.port, wait_s=0.2) as floor:
            floor.rounds()
            await asyncio.to_thread(subscribed, broker, "ledger")
            await asyncio.to_thread(table.play, 15, FAULTS)
            answer = await floor.table("T07").bets_open()
            assert answer.ok
            table.status()
            async for batch in floor.rounds():
                items += batch
                await batch.stored()
                if len(raws(items)) == len(table.rounds):
                    return items
        return items

    with fake_table(port=broker.port) as table:
        items = asyncio.run(read(table))
        assert Counter(raws(items)) == Counter(table.rounds)


def test_what_is_no_message_is_told_with_the_reason(broker: Broker) -> None:
    told: list[Item] = []
    with PlainFloor("ledger", port=broker.port) as floor:
        floor.rounds()
        subscribed(broker, "ledger")
        with fake_table("T02", port=broker.port) as table:
            table.round()
            [raw] = table.rounds
            publish(broker.port, "shoe/T01/round", raw)
            publish(broker.port, "shoe/T01/round", b"{")
            for batch in floor.rounds():
                told += batch
                batch.stored()
                if len(told) == 3:
                    break
    wrong = [each for each in told if isinstance(each, Unreadable)]
    assert {(each.table, each.raw) for each in wrong} == {("T01", raw), ("T01", b"{")}
    assert any("the topic is of table T01, the message of T02" in each.why for each in wrong)


def test_one_floor_gives_one_stream_and_only_the_last_batch_is_stored(broker: Broker) -> None:
    with PlainFloor("ledger", port=broker.port) as floor, fake_table(port=broker.port) as table:
        rounds = floor.rounds()
        with pytest.raises(FloorInUse):
            floor.messages()
        subscribed(broker, "ledger")
        table.round()
        left, again = next(rounds), next(rounds)
        with pytest.raises(NotThisBatch):
            left.stored()
        again.stored()


def test_a_broker_that_does_not_let_us_in_is_an_error(brokers: Callable[..., Broker]) -> None:
    closed = brokers(users={"ledger": "right"})
    floor = PlainFloor("ledger", port=closed.port, username="ledger", password="wrong")
    with floor, pytest.raises(FloorError, match="look at user name and password"):
        next(floor.rounds())


def publish(port: int, topic: str, payload: bytes) -> None:
    single(topic, payload, qos=1, port=port)
