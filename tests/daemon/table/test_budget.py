"""What orders that lead nowhere may add to the journal, and that an honest night is never refused."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.daemon.table.budget import A_SECOND, AT_ONCE, TOO_OFTEN, Budget
from firmware_bridge.demo.script import Say, parse
from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.games.house import usual
from firmware_bridge.shoe import decide
from tests.kit.table import Table

MARKS = "1:grab=1 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=1 4:bet=1"
CARDS = "As Ah Ad Ac 2s 2h 2d 2c 3s 3h 3d 3c 4s 4h 4d 4c 5s 5h 5d 5c"


class Budgeted(Table):
    """A table whose orders are charged, and whose clock is set by hand."""

    def __init__(self, **settings: Any) -> None:
        self.seconds = 0.0
        self.budget = Budget(lambda: self.seconds)
        super().__init__(**settings)
        self.give(orders.OpenShoe(), by="anna")

    def give(self, order: orders.Order, by: str = "backend") -> bool:
        """Give an order; whether it was obeyed."""
        fact = inputs.Ordered(at=0, order=order, by=by, nonce=f"{len(self.events):032x}")
        admitted = self.budget.admitted(self.shoe, fact, lambda each: decide(self.shoe, each))
        self.take(admitted)
        return self.answer.ok

    def carry(self, fact: inputs.AnyInput, events: tuple[e.AnyEvent, ...]) -> tuple[e.AnyEvent, ...]:
        """The same, charged with the bytes of its line."""
        before, count = self.shoe, len(self.lines)
        made = super().carry(fact, events)
        for line in self.lines[count:]:
            if line.entry:
                self.budget.journaled(before, line.entry, len(line.data))
        return made


BLACKJACK: dict[str, Any] = {"game": "blackjack", "burn": "none", "close": "next", "betting": "required"}


def flooded() -> Budgeted:
    """A table whose backend opens and closes bets without end."""
    table = Budgeted(**BLACKJACK)
    obeyed = [
        table.give(order) for _ in range(100) for order in (orders.BetsClosed(bets={"1": "10"}), orders.BetsOpen())
    ]
    assert 10 < sum(obeyed) < 40
    assert table.answer.code == TOO_OFTEN
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


def test_long_rounds_are_voided_one_after_the_other() -> None:
    """Thirty marks follow the cards of each; after five of them, 10 s apart, another dealer signs in."""
    table = Budgeted(game="zhajinhua", **usual("zhajinhua"))
    for _ in range(5):
        assert table.give(orders.BetsClosed(money={"1": "1000", "2": "1000", "3": "1000"}))
        table.play("As Ah Ad Ks Kh Kd 2s 2h 2d lot=1", *["1:call 2:call 3:call"] * 10)
        assert table.give(orders.Void(why="misdeal"), by="anna")
        table.seconds += 10.0
    assert table.give(orders.DealerIn("eva"), by="anna")


def test_marks_taken_back_and_rounds_corrected_all_night_are_never_refused() -> None:
    """In each round of 60 s a mark is taken back and given again; each fifth round is corrected twice."""
    table = Budgeted(game="niuniu", **usual("niuniu"))
    for number in range(1, 31):
        table.seconds += 60.0
        for word in parse(MARKS):
            assert isinstance(word, Say)
            assert table.give(word.order, by="keypad S1")
        assert table.give(orders.Unmark(), by="keypad S4")
        assert table.give(orders.Mark("bet", 4, "1"), by="keypad S4")
        table.play(CARDS)
        for bet in ("2", "3") if number % 5 == 0 else ():
            cards = tuple(f"{MARKS[:-1]}{bet} {CARDS}".split())
            assert table.give(orders.Correct(table.rounds[-1]["round"], cards, "misread"), by="anna")
