"""Bets and results at a table of blackjack: who takes part, what is paid, voided and corrected, when the shoe ends."""

from __future__ import annotations

from decimal import Decimal

import pytest

from firmware_bridge.facts import orders
from firmware_bridge.games.blackjack import GAME
from firmware_bridge.games.house import usual
from firmware_bridge.topics.state import snapshots
from tests.games.blackjack.blackjack_table import TWO, table, why
from tests.kit.table import Table

# ------------------------------------------------------------ bets


def test_the_answer_names_the_seats_that_take_no_part() -> None:
    now = table("bets=1:9.99,2:50,3:1000.5,9:20")
    assert now.answer.ok
    assert now.answer.hint == "S1 takes no part: below_min, S3 takes no part: above_max, S9 takes no part: no_such_seat"
    assert now.answer.left_out == {"1": "below_min", "3": "above_max", "9": "no_such_seat"}
    assert why(now) == "S2.1 due"


def test_without_a_bet_that_is_taken_there_is_no_round() -> None:
    now = table("bets=8:20")
    assert (now.answer.ok, now.answer.error, now.phase) == (False, "no_round", "betting")
    now.play("bets=7:20 9h")
    assert now.phase == "dealing"


def test_a_round_is_not_flown_without_a_bet() -> None:
    now = table(mode="vip").play("!fly")
    assert now.answer.error == "fly refused: blackjack is dealt only to seats with a bet"
    assert now.phase == "betting"


def test_where_betting_is_ignored_every_seat_plays_for_one() -> None:
    now = table("Th 9h 5c Td 9d 6c S S Kc", betting="ignored", seats=2, min=10)
    (closed,) = now.rounds
    assert closed["stakes"] == {"S1": ["1", "-1"], "S2": ["1", "-1"]}
    assert closed["house"] == "2"


# ------------------------------------------------------------ amounts

MOST, LEAST = "999999999999999", "0.0000000000001"
"""The largest amount that can be told, and one with the most digits behind its point."""


def test_amounts_of_fifteen_digits_and_of_thirteen_decimals_at_one_table_are_not_rounded() -> None:
    now = table(f"bets=1:{MOST},2:{LEAST} Ah Ad 9c Kh Kd 8c", min=Decimal(LEAST), max=Decimal(MOST))
    assert now.rounds[0]["bets"] == {"S1": "1499999999999998.5", "S2": "0.00000000000015"}
    assert now.rounds[0]["house"] == "-1499999999999998.50000000000015"


def test_nor_is_what_a_void_gives_back() -> None:
    now = table(f"bets=1:{MOST} 8h 6c 8d 9c 1:SP 3c 1:DD={LEAST} 9d !void misdeal", max=Decimal(MOST))
    assert now.rounds[0]["stakes"] == {"S1": ["1999999999999998.0000000000001", "0"]}


# ------------------------------------------------------------ the end of rounds and shoes


def test_a_void_says_what_was_put_in_paid_and_taken() -> None:
    now = table("bets=1:100,2:20,3:12.5 Ah 8h Th 6c Kh 8d 6d Kd 2:SP 3h 2:DD=5 9c 4d 2:S 3:SU !void misdeal")
    voided = now.rounds[0]
    assert voided["stakes"] == {"S1": ["100", "0"], "S2": ["45", "0"], "S3": ["12.5", "0"]}
    assert voided["moved"] == {"S1": "150", "S3": "-6.25"}


def test_a_correction_is_a_whole_round_in_cards_and_marks() -> None:
    now = table("bets=1:10 Th 9c 9h 8d 1:S")
    now.play("!correct 1 Th,9c,9h,Td,1:S")
    assert [(message["status"], message["bets"]) for message in now.rounds] == [
        ("closed", {"S1": "10"}),
        ("corrected", {"S1": "0"}),
    ]
    assert now.rounds[1]["left"] == 412


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        ("Th,9c,9h,8d,1:SP", "1:SP is not possible in place 5", "S1.1: S, H, DD, SU"),
        ("Th,9c,9h,8d,5c", "5c is not possible in place 5", "S1.1: S, H, DD, SU"),
        ("Th,S", "S is not possible in place 2", "the next card goes to D"),
        ("Th,9c,9h,8d,S,5c", "5c is not possible in place 6", "the round ends before it"),
        ("Th,9c,9h,8d", "these words are not a complete round", "the round goes on: S1.1: S, H, DD, SU"),
    ],
)
def test_a_correction_that_is_no_round_is_refused_with_the_first_word_that_is_not(
    words: str, error: str, hint: str
) -> None:
    now = table("bets=1:10 Th 9c 9h 8d 1:S").play(f"!correct 1 {words}")
    assert (now.answer.error, now.answer.hint) == (error, hint)
    assert len(now.rounds) == 1


def test_under_a_quarter_the_shoe_has_ended() -> None:
    now = Table(**{"game": "blackjack", **usual("blackjack")})
    now.take(now.order(orders.OpenShoe(orders.Pack(left=108))))
    now.play("bets=1:10 Th 9c 9h 8d S")
    assert (now.phase, now.rounds[0]["left"], now.rounds[0]["shuffle_due"]) == ("betting", 104, False)
    now.play("bets=1:10 Tc 9s 9d 8h S")
    assert (now.phase, now.rounds[1]["left"], now.rounds[1]["shuffle_due"]) == ("ended", 100, True)
    assert snapshots(now.shoe)["table"].shoe_change == "due"
    now.play("bets=1:10")
    assert not now.answer.ok


def test_a_shoe_that_runs_out_voids_the_round() -> None:
    now = Table(**{"game": "blackjack", **usual("blackjack")})
    now.take(now.order(orders.OpenShoe(orders.Pack(left=5))))
    now.play("bets=1:10 2c 3c 4c 5c H 2d H")
    assert (now.phase, now.rounds[0]["status"], now.rounds[0]["last"]) == ("ended", "voided", True)


def test_people_are_shown_what_each_seat_won_or_lost() -> None:
    now = table(f"{TWO} Th Td 9c 9h 8d 8c 1:S 3:S")
    assert GAME.demo.remarks(now.rounds[0]) == ("S1 +100", "S3 +12.5")
    assert GAME.demo.remarks(now.rounds[0] | {"bets": {"S1": "0", "S2": "-5"}, "shuffle_due": True}) == (
        "S1 0",
        "S2 -5",
        "shuffle due",
    )
