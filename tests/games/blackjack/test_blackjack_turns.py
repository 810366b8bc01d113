"""A round of blackjack while it is dealt: what is opened when, what marks are asked for and refused, what is held."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.facts import events, orders
from firmware_bridge.games.blackjack import GAME
from firmware_bridge.shoe.round import layout
from firmware_bridge.topics.lamps import lamps
from firmware_bridge.topics.state import snapshots
from tests.games.blackjack.blackjack_table import TWO, table, why
from tests.kit.table import Table

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


def test_each_seat_counts_its_hands_and_the_dealer_what_is_open() -> None:
    now = table(f"{TWO} 8h 9d 6c 8d As Kd 1:SP 3c 1:S 2d")
    assert GAME.demo.points(layout(now.shoe)) == {"S1": "11 10", "S3": "20", "dealer": "6"}


# ------------------------------------------------------------ marks


def mark(now: Table, word: str, seat: int | None = None, **more: Any) -> orders.Answer:
    now.take(now.order(orders.Mark(word, seat, **more)))
    return now.answer


def test_split_hands_share_the_lamp_of_their_seat_and_the_reason_says_which() -> None:
    now = table(f"{TWO} 8h 9d 6c 8d 9s Kd 1:SP 3c")
    assert (lamps(now.shoe).lit["S1"], why(now)) == ("confirm", "S1.1: S, H, DD")
    now.play("1:S")
    assert (lamps(now.shoe).lit["S1"], why(now)) == ("steady", "S1.2 due: the second card of a split hand")


@pytest.mark.parametrize(
    ("before", "word", "seat", "value", "code", "hint"),
    [
        ("", "S", 3, None, "not_your_turn", "it is the turn of seat 1, hand S1.1: S, H, DD, SP, SU"),
        ("", "DD", None, "100.01", "bad_amount", "DD: more than 0 to 100"),
        ("", "DD", None, "1e1", "bad_amount", "write the amount in digits: 12.5"),
        ("", "SU", None, "1", "bad_amount", "SU takes no value"),
        ("", "X", None, None, "unknown", "the marks of blackjack: S, H, DD, SP, SU"),
        ("H 2c", "DD", None, None, "not_allowed", "DD is allowed only with the first two cards of a hand; S1.1: S, H"),
        ("H 2c", "SU", 1, None, "not_allowed", "SU is allowed only as the first decision of a seat; S1.1: S, H"),
        ("SP 3c", "SP", 1, None, "not_allowed", "the two cards do not have the same rank; S1.1: S, H, DD"),
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


# ------------------------------------------------------------ cards that nothing asked for


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


def test_a_torn_three_of_clubs_that_was_missed_is_a_duplicate() -> None:
    now = table("bets=1:10,2:10,3:10,4:10,5:10,6:10 3c 3c 3c 3c 3c 3c 3c", decks=6)
    assert now.open == ("duplicate",)
    now.play("!resolve duplicate remove 9c")
    assert now.open == ()
    assert snapshots(now.shoe)["table"].hands["D"] == (None,)


# ------------------------------------------------------------ who gave a mark


def _given(now: Table) -> list[tuple[str, str]]:
    return [(each.seat, each.word) for each in now.events if isinstance(each, events.MarkGiven | events.MarkTakenBack)]


def test_a_mark_without_a_seat_is_of_the_seat_that_is_asked() -> None:
    now = table(f"{TWO} 8h 9d 6c 8d 9s Kd S unmark SP 3c S 2d S S 4h next")
    assert _given(now) == [("1", "S"), ("1", "S"), ("1", "SP"), ("1", "S"), ("1", "S"), ("3", "S")]
    named = table(f"{TWO} 8h 9d 6c 8d 9s Kd 1:S unmark 1:SP 3c 1:S 2d 1:S 3:S 4h next")
    assert [each["hands"] for each in now.rounds] == [each["hands"] for each in named.rounds] != []
    assert _given(named) == _given(now)
