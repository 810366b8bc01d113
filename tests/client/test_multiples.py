"""Multiples at niu-niu and er ba gang: what may be bid and bet, what can be owed, and what their rounds pay."""

from __future__ import annotations

from decimal import Decimal
from random import Random
from typing import Any

import pytest

from firmware_bridge.client import (
    MoneyError,
    Rounding,
    Wager,
    most_owed,
    multiple_refused,
    payments,
    purses_short,
    settle,
    third,
)
from tests.games.erbagang.test_erbagang import BANK_OF_1, BETS, MONEY, WINS
from tests.games.erbagang.test_erbagang import table as erbagang
from tests.games.niuniu.test_niuniu import CARDS, GRABS
from tests.games.niuniu.test_niuniu import table as niuniu
from tests.kit.nightly import share

SEATS = ("S1", "S2", "S3", "S4")


@pytest.mark.parametrize(
    ("multiple", "offered", "rule"),
    [
        (0, (0, 1, 2, 3), None),
        (4, (0, 1, 2, 3), "maximum"),
        (0, (1, 2, 3), "minimum"),
        (7, (1, 5, 10), "step"),
        (200, range(201), None),
        (201, range(201), "maximum"),
        (66, third(200), None),
        (67, third(200), "maximum"),
        (1, third(1), None),
        (2, third(5), "maximum"),
        (0, third(5), "minimum"),
    ],
)
def test_a_multiple_is_one_of_those_offered(multiple: int, offered: Any, rule: str | None) -> None:
    refused = multiple_refused(multiple, offered)
    assert (refused and refused.rule) == rule


def test_the_most_that_a_player_can_owe() -> None:
    assert most_owed(Decimal(10), 3, 8, banker=3) == 720
    assert most_owed(Decimal("2.5"), 66, 5) == 825
    with pytest.raises(MoneyError):
        most_owed(Decimal(10), 0, 8)
    with pytest.raises(MoneyError):
        most_owed(Decimal(0), 1, 8)


def test_a_game_begins_with_four_purses_of_the_base() -> None:
    purses = {"1": Decimal(5), "2": Decimal("2.5"), "3": Decimal("2.4")}
    assert {seat: refused.rule for seat, refused in purses_short(purses, Decimal("2.5")).items()} == {
        "3": "purse",
        "4": "purse",
    }
    assert purses_short(dict.fromkeys("1234", Decimal(1)), Decimal(1)) == {}


def back(message: Any) -> dict[str, Decimal]:
    """What goes back to the persons at the seats, one wager for each."""
    return payments(settle(message, [Wager(slot, slot, Decimal(1)) for slot in SEATS], Rounding()))


def test_rounds_pay_between_the_seats() -> None:
    played = niuniu(f"{GRABS} 2:bet=3 3:bet=1 4:bet=2 {CARDS}")
    assert back(played.rounds[0]) == {"S1": Decimal(540), "S2": Decimal(-270), "S3": Decimal(-90), "S4": Decimal(-180)}
    game = erbagang(f"{MONEY} {BANK_OF_1} {BETS} {WINS}")
    assert back(game.rounds[0]) == {"S1": Decimal(6), "S2": Decimal(-1), "S3": Decimal(-2), "S4": Decimal(-3)}


def test_a_voided_round_moves_nothing() -> None:
    assert back(niuniu(f"{GRABS} !void misdeal").rounds[0]) == {}
    assert back(erbagang(f"{MONEY} {BANK_OF_1} {BETS} wp !void misdeal").rounds[0]) == {}


def test_many_rounds_with_a_base_of_a_third_of_a_cent_leave_no_cent_over() -> None:
    rng, purse = Random(4), dict.fromkeys(SEATS, Decimal(0))
    game, base = niuniu(base=Decimal("0.00333")), Decimal("0.00333")
    faces = CARDS.split()
    for _ in range(share(40)):
        rng.shuffle(faces)
        game.play(f"{GRABS} 2:bet={rng.randint(1, 3)} 3:bet=1 4:bet=2 {' '.join(faces)}")
        for slot, amount in back(game.rounds[-1]).items():
            purse[slot] += amount
    assert sum(purse.values()) == 0
    assert {amount % base for amount in purse.values()} == {0}
