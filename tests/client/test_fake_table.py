"""A floor reads a fake table with every fault; what is in the store is what the journals make."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from contextlib import suppress
from decimal import Decimal
from itertools import pairwise
from time import monotonic, sleep

import pytest

from firmware_bridge.client.floor import Floor, PlainFloor
from firmware_bridge.client.messages import Conflict, Item, Received, Refused
from firmware_bridge.client.orders import NoAnswer
from firmware_bridge.client.payload import round_message
from firmware_bridge.client.testing import FakeGame, FakeTable, Fault, fake_table
from firmware_bridge.facts.orders import Resend
from firmware_bridge.facts.wire import ClosedRound, RoundMessage
from firmware_bridge.record.verify import is_round_signed, parse_vkey
from tests.client.reading import logged, raws, read_until, said, subscribed
from tests.kit import broker as real
from tests.kit.broker import Broker

brokers, broker = real.brokers, real.broker  # fixtures

FAULTS: dict[int, Fault] = {
    2: "repeat", 4: "gap", 6: "conflict", 8: "reorder", 10: "restart", 12: "void", 14: "correct", 15: "gap",
}  # fmt: skip


@pytest.mark.parametrize("events", [False, True])
def test_every_fault_is_mended_and_a_conflict_is_reported(broker: Broker, events: bool) -> None:
    items: list[Item] = []
    with PlainFloor("ledger", port=broker.port, wait_s=0.2) as floor, fake_table(port=broker.port) as table:
        floor.messages() if events else floor.rounds()
        subscribed(broker, "ledger")
        table.play(15, FAULTS)
        table.status()
        made = [payload for topic, payload in table.sent if events or topic == "round"]
        read_until(floor, items, len(made), events=events)
        if events:
            said(table, max(each.message.seq for each in items if isinstance(each, Received)))
    assert table.stored if events else not table.stored
    assert Counter(raws(items)) == Counter(made)
    assert [type(each) for each in items if not isinstance(each, Received)] == [Conflict]


def test_the_lost_end_of_a_journal_is_asked_for_once_another_follows(broker: Broker) -> None:
    items: list[Item] = []
    with PlainFloor("ledger", port=broker.port, wait_s=0.1) as floor, fake_table(port=broker.port) as table:
        floor.messages()
        subscribed(broker, "ledger")
        for lost in (True, False):
            table.play(2)
            table.new_shoe(lost=lost)
        table.play(2)
        made = [payload for _, payload in table.sent if b'"CommandAnswered"' not in payload]
        read_until(floor, items, len(made), events=True)
    assert Counter(raws(items)) == Counter(made)


def test_a_batch_that_is_left_comes_again_and_other_tables_go_on(broker: Broker) -> None:
    with PlainFloor("ledger", port=broker.port) as floor:
        floor.rounds()
        subscribed(broker, "ledger")
        with fake_table("T01", port=broker.port) as bad, fake_table("T02", port=broker.port) as good:
            bad.play(30)
            came: list[tuple[float, tuple[bytes, ...]]] = []
            others: list[Item] = []
            while len(came) < 3:
                with suppress(ZeroDivisionError):
                    for batch in floor.rounds():
                        if batch.tables == ("T01",):
                            came.append((monotonic(), tuple(raws(list(batch)))))
                            good.play(30)
                            raise ZeroDivisionError
                        others += batch
                        batch.stored()
            waits = [later - before for (before, _), (later, _) in pairwise(came)]
            assert 1.0 <= waits[0] < 2.0 <= waits[1]
            assert all(came[0][1] == again[: len(came[0][1])] for _, again in came)
            assert set(raws(others)) & set(good.rounds)
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


def test_a_journal_that_is_lost_is_reported_once_and_not_asked_for_again(broker: Broker) -> None:
    with fake_table(port=broker.port) as table, PlainFloor("ledger", port=broker.port, wait_s=0.1) as floor:
        table.play(3)
        table.new_shoe()
        logged(broker, "Received PUBLISH from fake-T07", 11)  # a status, and ten that nobody gets
        table.forget("1-fake")
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


@pytest.mark.parametrize("game", ["baccarat", "blackjack"])
def test_what_a_fake_table_corrects_and_voids_changes_the_sums(game: FakeGame) -> None:
    table = FakeTable(lambda _, payload: None, game=game)
    table.play(3)
    table.play(3, {1: "correct", 3: "void"})
    messages: list[RoundMessage] = [round_message(payload) for payload in table.rounds]
    assert [(each.round, each.status) for each in messages[3:]] == [
        (4, "closed"), (4, "corrected"), (5, "closed"), (6, "voided"),
    ]  # fmt: skip
    first, second = messages[3:5]
    assert isinstance(first, ClosedRound)
    assert isinstance(second, ClosedRound)
    assert first.bets != second.bets
    assert first.outcome != second.outcome
    assert {each.unit for each in messages} == {"stake" if game == "baccarat" else "money"}
    if game == "blackjack":
        assert all(sum(net for _, net in each.stakes.values()) for each in messages[:5])
        assert messages[6].stakes["S1"] == (Decimal(240), Decimal(0))


def test_a_fake_table_with_a_key_signs_its_rounds_and_names_the_key() -> None:
    statuses: list[bytes] = []
    table = FakeTable(
        lambda topic, payload: statuses.append(payload) if "status" in topic else None, seed=bytes(range(32))
    )
    table.play(3, {2: "void", 3: "correct"})
    table.status()
    record = json.loads(statuses[-1])["record"]
    key = parse_vkey(record["key"])
    assert (record["signed"], key.name) == (True, record["origin"])
    assert len(table.rounds) == 4
    for payload in table.rounds:
        assert is_round_signed(key.public, key.name, payload)
        assert not is_round_signed(key.public, key.name, payload.replace(b'"round":', b'"round": '))


def test_without_a_key_it_signs_nothing() -> None:
    table = FakeTable(lambda topic, payload: None, seed=None)
    table.play(1)
    assert b'"sig"' not in table.rounds[0]
