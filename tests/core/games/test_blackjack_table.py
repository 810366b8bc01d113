"""Blackjack through the whole core: what is told, refused, opened, lit, voided and corrected at a table."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from firmware_bridge.facts import orders
from firmware_bridge.games.blackjack import GAME
from firmware_bridge.games.house import usual
from firmware_bridge.shoe.round import layout
from firmware_bridge.topics.lamps import lamps
from firmware_bridge.topics.state import snapshots
from tests.core.table import Table

TWO = "bets=1:100,3:12.5"


def table(text: str = "", **settings: Any) -> Table:
    """A table of blackjack after some words of a deal script."""
    return Table(**{"game": "blackjack", **usual("blackjack"), **settings}).play(f"shoe {text}")


def mark(now: Table, word: str, seat: int | None = None, **more: Any) -> orders.Answer:
    now.take(now.order(orders.Mark(word, seat, **more)))
    return now.answer


def why(now: Table) -> str:
    return lamps(now.shoe).why[-1]


# ------------------------------------------------------------ bets


def test_the_answer_names_the_seats_that_take_no_part() -> None:
    now = table("bets=1:9.99,2:50,3:1000.5,9:20")
    assert now.answer.ok
    assert now.answer.hint == "S1 takes no part: below_min, S3 takes no part: above_max, S9 takes no part: no_such_seat"
    assert why(now) == "S2.1 due"


def test_without_a_bet_that_is_taken_there_is_no_round() -> None:
    now = table("bets=8:20")
    assert (now.answer.ok, now.answer.error, now.phase) == (False, "no_round", "betting")
    now.play("bets=7:20 9h")
    assert now.phase == "dealing"


def test_where_betting_is_ignored_every_seat_plays_for_one() -> None:
    now = table("Th 9h 5c Td 9d 6c S S Kc", betting="ignored", seats=2, min=10)
    (closed,) = now.rounds
    assert closed["stakes"] == {"S1": ["1", "-1"], "S2": ["1", "-1"]}
    assert closed["house"] == "2"


# ------------------------------------------------------------ what is opened, and when


def test_the_hole_card_lies_face_down_until_the_seats_have_played() -> None:
    now = table(f"{TWO} 8h 9d 6c 8d 9s Kd")
    assert [laid.card.value for laid in now.shoe.laid if not laid.shown] == ["Kd"]
    assert "Kd" not in "".join(now.shown)
    now.play("1:S 3:S")
    assert [laid.card.value for laid in now.shoe.laid if not laid.shown] == []
    assert "Kd" in "".join(now.shown)


def test_a_house_that_seals_opens_one_card_a_press() -> None:
    now = table(f"{TWO} 8h 9d Ac 8d 9s 7s", disclose="sealed")
    assert why(now) == "open the cards: press REVEAL"
    assert snapshots(now.shoe)["table"].hands["D"] == (None, None)
    assert mark(now, "S", 1).error == "no_mark_due"
    now.play("reveal")
    assert snapshots(now.shoe)["table"].hands["D"] == ("Ac", None)
    now.play("1:S 3:S")
    assert (why(now), now.rounds) == ("open the cards: press REVEAL", [])
    assert "7s" not in "".join(now.shown)
    now.play("reveal")
    assert now.rounds[0]["outcome"] == "dealer_18"


def test_a_house_that_seals_opens_a_blackjack_with_two_presses() -> None:
    now = table(f"{TWO} 8h 9d Ac 8d 9s Jd reveal", disclose="sealed")
    assert now.rounds == []
    assert "Jd" not in "".join(now.shown)
    now.play("reveal")
    assert now.rounds[0]["outcome"] == "dealer_blackjack"


def test_nobody_reads_off_the_lamps_whether_the_hole_card_is_high() -> None:
    shown = []
    for hole in ("5d", "Kd"):
        now = table(f"{TWO} 8h 9d 6c 8d 9s {hole} 1:SP 3c 1:S")
        shown.append((lamps(now.shoe), snapshots(now.shoe)["table"]))
    assert shown[0] == shown[1]


# ------------------------------------------------------------ marks


def test_split_hands_share_the_lamp_of_their_seat_and_the_reason_says_which() -> None:
    now = table(f"{TWO} 8h 9d 6c 8d 9s Kd 1:SP 3c")
    assert (lamps(now.shoe).lit["S1"], why(now)) == ("confirm", "S1.1: S, H, DD")
    now.play("1:S")
    assert (lamps(now.shoe).lit["S1"], why(now)) == ("steady", "S1.2 due: the second card of a split hand")


@pytest.mark.parametrize(
    ("before", "word", "seat", "value", "code", "hint"),
    [
        ("", "S", 3, None, "not_your_turn", "seat 1 is asked, for S1.1: S, H, DD, SP, SU"),
        ("", "DD", None, "100.01", "bad_amount", "DD: more than 0 to 100"),
        ("", "DD", None, "1e1", "bad_amount", "give an amount in plain decimals: 12.5"),
        ("", "SU", None, "1", "bad_amount", "SU takes no value"),
        ("", "X", None, None, "unknown", "the marks of blackjack: S, H, DD, SP, SU"),
        ("H 2c", "DD", None, None, "not_allowed", "DD only with the first two cards of a hand; S1.1: S, H"),
        ("H 2c", "SU", 1, None, "not_allowed", "SU only as the first decision of a seat; S1.1: S, H"),
        ("SP 3c", "SP", 1, None, "not_allowed", "the two cards are not of the same rank; S1.1: S, H, DD"),
        ("H", "H", 1, None, "no_mark_due", "S1.1 due: a hit"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_may_be_done_instead(
    before: str, word: str, seat: int | None, value: str | None, code: str, hint: str
) -> None:
    now = table(f"{TWO} 8h 9d 6c 8d 9s Kd {before}")
    answer = mark(now, word, seat, value=value)
    assert (answer.error, answer.hint) == (code, hint)


def test_a_mark_that_comes_twice_does_not_answer_the_next_question() -> None:
    now = table(f"{TWO} 8h 9d 6c 8d 9s Kd")
    asked: dict[str, Any] = {"round": now.shoe.round, "turn": now.shoe.turn}
    assert mark(now, "S", 1, **asked).ok
    assert mark(now, "S", None, **asked).error == "late"
    assert why(now) == "S3.1: S, H, DD, SP, SU"


def test_a_card_before_its_mark_is_held_and_dealt_by_the_mark() -> None:
    now = table(f"{TWO} 8h 9d 6c 8d 9s Kd 2s")
    assert now.open == ("drawn_before_mark",)
    assert "2s" not in "".join(now.shown)
    now.play("1:H")
    assert now.open == ()
    assert snapshots(now.shoe)["table"].hands["S1.1"] == ("8h", "8d", "2s")


def test_a_card_after_the_round_is_held() -> None:
    now = table("bets=1:10 Th 9c 9h 8d 1:S Kc", close="next")
    assert now.open == ("overdrawn",)
    assert "Kc" not in "".join(now.shown)
    now.play("next bets=1:10")
    assert now.open == ()
    assert snapshots(now.shoe)["table"].hands["S1.1"] == ("Kc",)


def test_a_round_is_not_flown_without_a_bet() -> None:
    now = table(mode="vip").play("!fly")
    assert now.answer.error == "fly refused: blackjack is dealt to the seats that bet"
    assert now.phase == "betting"


def test_a_shoe_that_runs_out_voids_the_round() -> None:
    now = Table(**{"game": "blackjack", **usual("blackjack")})
    now.take(now.order(orders.OpenShoe(orders.Pack(left=5))))
    now.play("bets=1:10 2c 3c 4c 5c H 2d H")
    assert (now.phase, now.rounds[0]["status"], now.rounds[0]["last"]) == ("ended", "voided", True)


# ------------------------------------------------------------ amounts

MOST, LEAST = "999999999999999", "0.0000000000001"
"""The largest amount that can be told, and one with the most digits behind its point."""


def test_amounts_of_fifteen_digits_and_of_thirteen_decimals_at_one_table_are_not_rounded() -> None:
    now = table(f"bets=1:{MOST},2:{LEAST} Ah Ad 9c Kh Kd 8c", min=Decimal(LEAST), max=Decimal(MOST))
    assert now.rounds[0]["bets"] == {"S1": "1499999999999998.5", "S2": "0.00000000000015"}
    assert now.rounds[0]["house"] == "-1499999999999998.50000000000015"


def test_nor_is_what_a_void_gives_back() -> None:
    now = table(f"bets=1:{MOST} 8h 6c 8d 9c 1:SP 3c 1:DD={LEAST} 9d !void misdeal", max=Decimal(MOST))
    assert now.rounds[0]["stakes"] == {"S1": ["1999999999999998.0000000000001", 0]}


# ------------------------------------------------------------ the end of rounds and shoes


def test_a_void_says_what_was_put_in_paid_and_taken() -> None:
    now = table("bets=1:100,2:20,3:12.5 Ah 8h Th 6c Kh 8d 6d Kd 2:SP 3h 2:DD=5 9c 4d 2:S 3:SU !void misdeal")
    voided = now.rounds[0]
    assert voided["stakes"] == {"S1": ["100", 0], "S2": ["45", 0], "S3": ["12.5", 0]}
    assert voided["moved"] == {"S1": "150", "S3": "-6.25"}


def test_a_correction_is_a_whole_round_in_cards_and_marks() -> None:
    now = table("bets=1:10 Th 9c 9h 8d 1:S")
    now.play("!correct 1 Th,9c,9h,Td,1:S")
    assert [(told["status"], told["bets"]) for told in now.rounds] == [
        ("closed", {"S1": "10"}),
        ("corrected", {"S1": "0"}),
    ]
    assert now.rounds[1]["left"] == 412


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        ("Th,9c,9h,8d,1:SP", "1:SP, number 5, cannot stand there", "S1.1: S, H, DD, SU"),
        ("Th,9c,9h,8d,5c", "5c, number 5, cannot stand there", "S1.1: S, H, DD, SU"),
        ("Th,S", "S, number 2, cannot stand there", "the next card goes to D"),
        ("Th,9c,9h,8d,S,5c", "5c, number 6, cannot stand there", "the round is over before it"),
        ("Th,9c,9h,8d", "these words are no whole round", "it goes on: S1.1: S, H, DD, SU"),
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


def test_a_torn_three_of_clubs_that_was_missed_is_a_duplicate() -> None:
    now = table("bets=1:10,2:10,3:10,4:10,5:10,6:10 3c 3c 3c 3c 3c 3c 3c", decks=6)
    assert now.open == ("duplicate",)
    now.play("!resolve duplicate remove 9c")
    assert now.open == ()
    assert snapshots(now.shoe)["table"].hands["D"] == (None,)


def test_each_seat_counts_its_hands_and_the_dealer_what_is_open() -> None:
    now = table(f"{TWO} 8h 9d 6c 8d As Kd 1:SP 3c 1:S 2d")
    assert GAME.points(layout(now.shoe)) == {"S1": "11 10", "S3": "20", "dealer": "6"}


def test_people_are_told_what_each_seat_won_or_lost() -> None:
    now = table(f"{TWO} Th Td 9c 9h 8d 8c 1:S 3:S")
    assert GAME.remarks(now.rounds[0]) == ("S1 +100", "S3 +12.5")
    assert GAME.remarks(now.rounds[0] | {"bets": {"S1": "0", "S2": "-5"}, "shuffle_due": True}) == (
        "S1 0",
        "S2 -5",
        "shuffle due",
    )
