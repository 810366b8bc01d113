"""What orders that lead nowhere may add to the journal, and that an honest night is never refused."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.daemon.table.budget import A_SECOND, AT_ONCE, TOO_OFTEN, Budget
from firmware_bridge.facts import inputs, orders
from firmware_bridge.shoe import decide, entry_of
from tests.kit.table import Table

SIZE = 600
"""Bytes of a line, about."""


class Budgeted(Table):
    """A table whose orders are charged, and whose clock is set by hand."""

    def __init__(self, **settings: Any) -> None:
        self.seconds, self.written = 0.0, 0
        self.budget = Budget(lambda: self.seconds)
        super().__init__(**settings)
        self.give(orders.OpenShoe(), by="anna")

    def give(self, order: orders.Order, by: str = "backend") -> bool:
        """Give an order; whether it was obeyed."""
        fact = inputs.Ordered(at=0, order=order, by=by, nonce=f"{len(self.events):032x}")
        admitted = self.budget.admitted(self.shoe, fact, lambda each: decide(self.shoe, each))
        before = self.shoe
        made = self.take(admitted)
        self.written += SIZE * bool(made)
        self.budget.journaled(before, entry_of(before, admitted, made, "T", "b"), SIZE)
        return self.answer.ok


BLACKJACK: dict[str, Any] = {"game": "blackjack", "burn": "none", "close": "next", "betting": "required"}


def flooded() -> Budgeted:
    """A table whose backend opens and closes bets without end."""
    table = Budgeted(**BLACKJACK)
    obeyed = [
        table.give(order) for _ in range(100) for order in (orders.BetsClosed(bets={"1": "10"}), orders.BetsOpen())
    ]
    assert 10 < sum(obeyed) < 2 * AT_ONCE / SIZE
    assert table.answer.error == TOO_OFTEN
    return table


def test_a_step_back_given_too_often_is_obeyed_again_when_time_has_passed() -> None:
    table = flooded()
    assert not table.give(orders.BetsOpen())
    table.seconds = 60.0
    assert table.give(orders.BetsOpen())


def test_who_gave_nothing_too_often_is_obeyed_at_once() -> None:
    assert flooded().give(orders.BetsOpen(), by="anna")


@pytest.mark.parametrize("hours", [1, 24])
def test_a_flood_adds_at_most_a_megabyte_an_hour(hours: int) -> None:
    assert AT_ONCE + hours * 3600 * A_SECOND <= hours * 1_000_000


def test_a_busy_night_is_never_refused() -> None:
    """Bets are opened again in each round of 30 s, and each tenth one is voided with its first card."""
    table = Budgeted(**BLACKJACK)
    for number in range(1, 201):
        table.seconds += 30.0
        assert table.give(orders.BetsClosed(bets={str(seat): "10" for seat in range(1, 8)}))
        assert table.give(orders.BetsOpen())
        if number % 10 == 0:
            assert table.give(orders.BetsClosed(bets={"1": "10"}))
            table.play("5c")
            assert table.give(orders.Void(why="misdeal"))
