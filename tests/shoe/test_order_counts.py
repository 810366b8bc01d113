"""The counts of signed orders belong to a public key, whatever its name."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import UNSET
from msgspec.structs import replace

from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.events import CommandAnswered, Device, OrdersRefused
from firmware_bridge.facts.orders import Answer
from firmware_bridge.shoe.evolve import evolve
from firmware_bridge.shoe.order_counts import last_count
from firmware_bridge.shoe.state import Shoe
from tests.kit.table import RESTART, Table

ONE, TWO = "1" * 64, "2" * 64


def started(**keys: str) -> inputs.Started:
    return replace(RESTART, order_keys=keys or UNSET)


def signed(name: str, count: int) -> CommandAnswered:
    return CommandAnswered(answer=Answer(ok=True), by=f"key/{name}", count=count)


def counts(*course: Any) -> dict[str, int]:
    """The last counts by name after starts and events."""
    table = Table().play()
    for each in course:
        if isinstance(each, inputs.Started):
            table.play(each)
        else:
            table.shoe = evolve(table.shoe, each)
    names = {*(table.shoe.device.order_keys or {}), *(table.shoe.device.counts or {})}
    return {name: last_count(table.shoe, name) for name in sorted(names)}


@pytest.mark.parametrize(
    ("course", "last"),
    [
        ((started(cage=ONE), signed("cage", 7), signed("cage", 9)), {"cage": 9}),
        ((started(cage=ONE), signed("cage", 7), started(cage=ONE)), {"cage": 7}),
        ((started(cage=ONE), signed("cage", 7), started(cage=TWO)), {"cage": 0}),
        ((started(cage=ONE), signed("cage", 7), started(cage=TWO), signed("cage", 3), started(cage=ONE)), {"cage": 7}),
        ((started(cage=ONE), signed("cage", 7), started(bank=ONE)), {"bank": 7}),
        ((started(cage=ONE), signed("cage", 7), started(bank=ONE, cage=TWO)), {"bank": 7, "cage": 0}),
        ((started(cage=ONE), OrdersRefused(why={}, counts={"cage": 8}), started(bank=ONE)), {"bank": 8}),
        ((started(cage=ONE), signed("cage", 7), started(), started(cage=ONE)), {"cage": 7}),
    ],
)
def test_a_count_is_used_by_the_key_that_the_name_has(course: tuple[Any, ...], last: dict[str, int]) -> None:
    assert counts(*course) == last


@pytest.mark.parametrize(
    ("course", "last"),
    [
        ((signed("cage", 7),), {"cage": 7}),
        ((signed("cage", 7), started(cage=ONE)), {"cage": 7}),
        ((signed("cage", 7), started(cage=ONE), started(cage=TWO)), {"cage": 0}),
        ((signed("cage", 7), started(bank=TWO), started(cage=ONE)), {"cage": 7}),
        ((OrdersRefused(why={}, counts={"cage": 8}), started(cage=ONE), started(bank=ONE)), {"bank": 8}),
    ],
)
def test_a_count_by_name_of_an_earlier_version_is_of_the_key_that_has_the_name(
    course: tuple[Any, ...], last: dict[str, int]
) -> None:
    assert counts(*course) == last


def test_counts_that_are_not_on_record_are_used_too() -> None:
    shoe = Shoe(device=Device(order_keys={"cage": ONE, "floor": TWO}, used={ONE: 3, TWO: 9}))
    assert [last_count(shoe, name, {"cage": 5, "floor": 8}) for name in ("cage", "floor")] == [5, 9]


def test_counts_outlive_a_shoe() -> None:
    table = Table(burn="none").play(started(cage=ONE), "shoe")
    table.play(inputs.RefusalsCounted(at=1, why={}, counts={"cage": 5}), table.order(orders.CloseShoe("worn")), "shoe")
    assert (table.shoe.number, last_count(table.shoe, "cage")) == (2, 5)
