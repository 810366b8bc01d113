"""Wagers that cannot be settled are held; all others are paid."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.client import MessageError, payments, settle
from tests.client.results import BANKER, EXACT, FIRST, TIED, in_money, money
from tests.client.wagers import round_message, wagers


@pytest.mark.parametrize(
    "message",
    [
        round_message(player=1),
        round_message(tie="NaN"),
        round_message(tie=-2),
        round_message(tie=0) | {"stakes": {"tie": [1, -0.5]}},
        round_message(tie=-2) | {"stakes": {"tie": [1.5, -2]}},
        round_message(tie=0) | {"stakes": {"tie": [-1, 0]}},
        round_message(tie="sNaN") | {"stakes": {"tie": [2, "sNaN"]}},
        in_money(S3=("10", "0")),
        in_money(tie=("10", "0")) | {"stakes": {}},
        in_money(tie=("10", "-10.01")),
        round_message("voided") | {"stakes": {"tie": ["NaN", 0]}},
    ],
)
def test_a_wager_without_a_result_is_held_and_the_others_are_paid(message: Any) -> None:
    message = message | {"bets": message.get("bets", {}) | {"player": 1}} if message["status"] == "closed" else message
    others = "" if message["unit"] == "money" else "bo player 10, "
    settled = settle(message, wagers(f"{others}ann tie 5"), EXACT)
    assert [(each.wager.person, each.why) for each in settled.held] == [
        ("ann", "round 12 of journal 3-abc has no result for tie: ask the floor")
    ]
    back = "bo 10" if message["status"] == "voided" else "bo 20"
    assert payments(settled) == money(back if others else "")


def test_a_misspelled_bet_keeps_nobody_else_unpaid() -> None:
    settled = settle(round_message(**BANKER), wagers("ann bankr 100, bo banker 100, ann player 5"), EXACT)
    assert payments(settled) == money("bo 195")
    assert [each.wager.bet for each in settled.held] == ["bankr"]
    assert settled.held[0].why.endswith("has no result for bankr: did you mean banker? ask the floor")


HELD = settle(round_message(**BANKER), wagers("ann bankr 100, bo player 70, cy tie 5"), EXACT)

# what comes; what was paid last -> what is still to be paid
SAID_BY_THE_FLOOR = [
    ("the wager was meant for the banker", FIRST, HELD, "ann 195"),
    ("the same once more", FIRST, FIRST, ""),
    ("a late repeat of what held it", HELD, FIRST, ""),
    ("still held", HELD, HELD, ""),
    ("a correction while it is held", TIED, HELD, "ann 100, bo 70, cy 45"),
]


@pytest.mark.parametrize(
    ("what", "now", "before", "owed"), SAID_BY_THE_FLOOR, ids=[row[0] for row in SAID_BY_THE_FLOOR]
)
def test_a_held_wager_is_paid_once_the_floor_has_said_what_it_was(what: str, now: Any, before: Any, owed: str) -> None:
    assert payments(now, before) == money(owed)


@pytest.mark.parametrize(
    ("message", "why"),
    [
        (round_message(tie=0) | {"unit": "chips"}, "not a message of this topic"),
        ({name: each for name, each in round_message(tie=0).items() if name != "unit"}, "not a message of this topic"),
        (round_message(tie=[]), "not a message of this topic"),
        (round_message(status="open", tie=8), "not a message of this topic"),
        ({}, "not a message of this topic"),
        (b"", "not a message of this topic"),
        (b"null", "not a message of this topic"),
        (b'{"journal":"3-abc","seq":57', "not a message of this topic"),
        ("\ud800", "not a message of this topic"),
    ],
)
def test_what_is_no_round_message_settles_nothing(message: Any, why: str) -> None:
    with pytest.raises(MessageError, match=why):
        settle(message, wagers("ann tie 5"), EXACT)
