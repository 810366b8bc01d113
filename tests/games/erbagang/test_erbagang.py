"""Er ba gang at a table: five rounds of a game, purses, who pays what first, the game's end, void and correction."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs
from firmware_bridge.games.house import usual
from tests.kit.table import Table

MONEY = "money=1:1000,2:1000,3:1000,4:1000"
BANK_OF_1 = "1:grab=9 2:grab=0 3:grab=0 4:grab=0"
BETS = "2:bet=1 3:bet=2 4:bet=3"
WINS = "wp 2p 9p 1p wp 8p 8p 9p"  # seat 1 has two whites
EQUAL = "5p 6p 1p 9p 2p 1p 9p 7p"  # seats 1 and 2 have 7, seat 2 the higher tile
REST = ["2p 7p 3p 4p 3p 5p 6p 8p", "1p wp 3p 3p 4p 4p 4p 5p", "wp 2p 5p 6p 6p 7p 7p 8p"]


def table(text: str = "", **settings: Any) -> Table:
    return Table(**{"game": "erbagang", **usual("erbagang"), **settings}).play(text)


def did(table: Table, *verbs: str) -> list[tuple[Any, ...]]:
    happened = [words for event in table.events if isinstance(event, e.Happened) for words in event.did]
    return [words for words in happened if words[0] in verbs]


def test_money_is_given_before_the_first_round_of_a_game_and_not_again() -> None:
    first = table()
    assert (first.play("1:grab=1").answer.error, first.answer.hint) == (
        "no_mark_due",
        "close the bets first: bets_closed",
    )
    first.play(f"{MONEY} {BANK_OF_1} {BETS} {WINS}")
    assert first.rounds[-1]["money"] == {"S1": "1006", "S2": "999", "S3": "998", "S4": "997"}
    assert first.play("3:grab=1").answer.ok
    assert first.shoe.round == 2


def test_purses_given_again_between_rounds_replace_what_was_worked_out() -> None:
    played = table(f"{MONEY} {BANK_OF_1} {BETS} {WINS} money=1:10,2:20,3:30,4:40 {BANK_OF_1} {BETS} {EQUAL}")
    assert played.rounds[-1]["money"] == {"S1": "14", "S2": "21", "S3": "28", "S4": "37"}
    late = table(f"{MONEY} 1:grab=1 money=1:10,2:20,3:30,4:40")
    assert not late.answer.ok


def test_a_game_does_not_begin_with_a_purse_below_the_base() -> None:
    poor = table("money=1:1000,2:0.5,3:1000,4:1000")
    assert (poor.answer.ok, poor.answer.error) == (False, "no_round")
    assert "S2" in (poor.answer.hint or "")
    assert table("money=1:1000,2:1,3:1000").answer.error == "no_round"  # seat 4 was not told: it has nothing
    assert poor.play(f"{MONEY} 1:grab=1").answer.ok


def test_purses_given_again_that_make_no_round_leave_those_before_and_publish_nothing_twice() -> None:
    game = table(f"{MONEY} {BANK_OF_1} {BETS} {WINS} money=1:1000,2:0.5,3:1000,4:1000")
    assert (game.answer.ok, game.answer.error) == (False, "no_round")
    assert "S2" in (game.answer.hint or "")
    assert game.phase == "ready"
    game.play("money=1:10,2:20,3:30,4:40")
    assert game.answer.ok
    assert did(game, "round", "no_game") == [("round", 1), ("round", 2)]
    refused = table(f"{MONEY} {BANK_OF_1} {BETS} {WINS} money=1:0 {BANK_OF_1} {BETS} {EQUAL}")
    assert refused.rounds[-1]["money"] == {"S1": "1010", "S2": "1000", "S3": "996", "S4": "994"}


def test_five_rounds_are_a_game() -> None:
    game = table(MONEY)
    for tiles in (WINS, EQUAL, *REST):
        assert game.shoe.status == "open"
        game.play(f"{BANK_OF_1} {BETS}", tiles)
    assert [message["game_round"] for message in game.rounds] == [1, 2, 3, 4, 5]
    assert did(game, "round")[-1] == ("round", 5)
    assert game.shoe.status == "ended"
    assert not game.rounds[-1]["stopped"]


def test_a_fifth_equal_tile_of_a_game_is_a_duplicate() -> None:
    game = table(f"{MONEY} {BANK_OF_1} {BETS} 1p 1p 1p 1p 2p 2p 2p 2p {BANK_OF_1} {BETS} 1p")
    assert game.open == ("duplicate",)
    assert table(f"{MONEY} {BANK_OF_1} {BETS} As").open == ("foreign",)


def test_whoever_bids_is_in_the_lot_whatever_his_bid() -> None:
    bids = table(f"{MONEY} 1:grab=200 2:grab=3 3:grab=0 4:grab=0 lot=3")
    assert (bids.answer.error, bids.answer.hint) == ("not_in_lot", "lot: one of 1, 2")
    assert did(bids.play("lot=2"), "banker") == [("banker", "S2", 3)]
    assert did(table(f"{MONEY} {BANK_OF_1}"), "banker") == [("banker", "S1", 9)]
    nobody = table(f"{MONEY} 1:grab=0 2:grab=0 3:grab=0 4:grab=0 lot=4")
    assert did(nobody, "banker") == [("banker", "S4", 1)]


@pytest.mark.parametrize(("multiple", "most"), [(200, 66), (3, 1), (2, 1), (1, 1), (6, 2), (8, 2)])
def test_a_player_bets_at_most_a_third_of_the_bankers_multiple(multiple: int, most: int) -> None:
    bets = table(f"{MONEY} 1:grab={multiple} 2:grab=0 3:grab=0 4:grab=0 2:bet={most + 1}")
    assert (bets.answer.error, bets.answer.hint) == ("bad_amount", f"bet: a whole number from 1 to {most}")
    assert bets.play(f"2:bet={most}").answer.ok


@pytest.mark.parametrize("bid", ["1.5", "-1", "201", "x", "007"])
def test_bids_are_whole_numbers_up_to_the_highest(bid: str) -> None:
    assert table(f"{MONEY} 1:grab={bid}").answer.error == "bad_amount"


def test_the_banker_takes_first_and_pays_then_and_nobody_more_than_he_has() -> None:
    bets = "1:grab=30 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=2 4:bet=10"
    poor = table(f"money=1:1,2:1000,3:1,4:1000 {bets} 4p 6p 1p 9p 3p 4p 9p 9p")
    assert did(poor, "pay") == [
        ("pay", "S2", "S1", "1", "1"),
        ("pay", "S3", "S1", "1", "2"),
        ("pay", "S1", "S4", "3", "10"),
    ]
    assert sum(map(Decimal, poor.rounds[0]["bets"].values())) == 0
    assert did(poor, "stopped") == [("stopped", ("S1", "S3"))]
    assert (poor.rounds[0]["stopped"], poor.rounds[0]["out"]) == (True, ["S1", "S3"])
    assert poor.shoe.status == "ended"


def test_the_bank_is_kept_where_it_is_grabbed_once_a_game() -> None:
    kept = table(f"{MONEY} {BANK_OF_1} {BETS} {WINS} 2:bet=3", banker_per="game")
    assert kept.answer.ok
    assert did(kept, "round", "banker")[-2:] == [("round", 2), ("banker", "S1", 9)]


def test_a_sealed_house_turns_a_hand_a_press_the_bankers_last() -> None:
    sealed = table(f"{MONEY} {BANK_OF_1} {BETS} {WINS} reveal reveal reveal", disclose="sealed")
    assert [words[1] for words in did(sealed, "turn")] == ["S2", "S3", "S4"]
    assert not sealed.rounds
    assert sealed.play("reveal").rounds


def test_a_voided_round_is_as_if_never_dealt_but_its_tiles_are_gone() -> None:
    voided = table(f"{MONEY} {BANK_OF_1} {BETS} wp wp !void misdeal {BANK_OF_1} {BETS} {EQUAL}")
    assert [message["status"] for message in voided.rounds] == ["voided", "closed"]
    assert voided.rounds[1]["game_round"] == 1
    assert sum(map(Decimal, voided.rounds[1]["money"].values())) == 4000
    voided.play(*[f"{BANK_OF_1} {BETS} {tiles}" for tiles in REST])
    assert [message.get("game_round") for message in voided.rounds] == [None, 1, 2, 3, 4]
    assert voided.shoe.status == "ended"  # six tiles are left


def test_a_correction_says_how_the_purses_differ_and_later_rounds_stand() -> None:
    game = table(f"{MONEY} {BANK_OF_1} {BETS} {WINS} {BANK_OF_1} {BETS} {EQUAL}")
    second = game.rounds[1]
    words = f"{BANK_OF_1} {BETS} 7p 2p 9p 1p 7p 8p 8p 9p".split()
    game.play(f"!correct 1 {','.join(words)}")
    corrected = game.rounds[-1]
    assert corrected["difference"] == {"S1": "0", "S2": "0", "S3": "0", "S4": "0"}
    words = f"{BANK_OF_1} {BETS} 7p 2p 9p 1p 6p 8p 8p 9p".split()
    game.play(f"!correct 1 {','.join(words)}")
    assert game.rounds[-1]["difference"] == {"S1": "-6", "S2": "2", "S3": "4", "S4": "0"}
    assert game.rounds[1] == second


def test_what_one_correction_says_is_not_said_again_by_that_of_a_later_round() -> None:
    game = table(f"{MONEY} {BANK_OF_1} {BETS} {WINS} {BANK_OF_1} {BETS} {EQUAL}")
    first, second = (f"{BANK_OF_1} {BETS} {tiles}".split() for tiles in ("7p 2p 9p 1p 6p 8p 8p 9p", EQUAL))
    game.play(f"!correct 1 {','.join(first)} !correct 2 {','.join(second)}")
    assert game.rounds[-2]["difference"] == {"S1": "-6", "S2": "2", "S3": "4", "S4": "0"}
    assert game.rounds[-1]["difference"] == {"S1": "0", "S2": "0", "S3": "0", "S4": "0"}


def test_an_unread_tile_is_entered_or_voids_its_round() -> None:
    unread = inputs.CardUnread(at=0, reason="smudged", nonce="a" * 32)
    tiles = WINS.removeprefix("wp 2p ")
    entered, voided = (table(f"{MONEY} {BANK_OF_1} {BETS} wp").play(unread, tiles) for _ in "ab")
    assert entered.open == voided.open == ("unreadable",)
    assert entered.play("!enter 2p").rounds[0]["hands"]["S2"]["points"] == "2-8"
    voided.play("!resolve unreadable void")
    assert [message["status"] for message in voided.rounds] == ["voided"]
    assert voided.play("2:grab=1").answer.ok


def test_without_purses_nothing_is_limited() -> None:
    free = table(f"1:grab=200 2:grab=0 3:grab=0 4:grab=0 2:bet=66 3:bet=66 4:bet=66 {WINS}", betting="ignored")
    assert free.rounds[0]["bets"]["S1"] == "198"
    assert (free.rounds[0]["money"], free.rounds[0]["stopped"]) == ({}, False)


def test_what_lies_face_down_is_nowhere_outside() -> None:
    playing = table(f"{MONEY} {BANK_OF_1} {BETS} wp 2p 9p")
    assert not [text for text in playing.shown for face in ("wp", "2p", "9p") if f'"{face}"' in text]
    playing.play("1p 3p 8p 8p 9p")
    assert [text for text in playing.shown if '"wp"' in text]
