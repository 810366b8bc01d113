"""Niu-niu at a table: who is asked what, refusals, hands turned a press at a time, payments, void and correction."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs
from firmware_bridge.games.house import usual
from firmware_bridge.screen.words import shown
from firmware_bridge.topics.state import snapshots
from tests.kit.table import Table

GRABS = "1:grab=3 2:grab=1 3:grab=0 4:grab=2"
BETS = "2:bet=3 3:bet=1 4:bet=2"
CARDS = "Kh 2c 9s 8h Qs 4d 8c 6c Td 3s 7h 4c 6s 8d Js 9d 4s 6d Kc Ah"
HANDS = {"S1": "bull-bull", "S2": "no-bull", "S3": "no-bull", "S4": "no-bull"}


def table(text: str = "", **settings: Any) -> Table:
    return Table(**{"game": "niuniu", **usual("niuniu"), **settings}).play(text)


def did(table: Table, verb: str) -> list[tuple[Any, ...]]:
    happened = [words for event in table.events if isinstance(event, e.Happened) for words in event.did]
    return [words for words in happened if words[0] == verb]


def test_a_game_as_the_seed_tells_it() -> None:
    played = table(f"{GRABS} {BETS} {CARDS}")
    [message] = played.rounds
    assert message["bets"] == {"S1": "540", "S2": "-270", "S3": "-90", "S4": "-180"}
    assert did(played, "pay")[0] == ("pay", "S2", "S1", "270")  # 10 * 3 * 3 * 3
    assert {slot: hand["points"] for slot, hand in message["hands"].items()} == HANDS
    assert (message["banker"], message["multiple"], message["multiples"]) == ("S1", 3, {"S2": 3, "S3": 1, "S4": 2})
    assert message["outcome"] == "banker"
    assert message["why"][0] == "S2 no-bull loses to S1 bull-bull"
    assert set(message["stakes"]) == set(message["bets"])


def test_the_next_pack_opens_with_the_first_bid() -> None:
    played = table(f"{GRABS} {BETS} {CARDS} 3:grab=1")
    assert (played.shoe.number, played.shoe.round, played.phase) == (2, 1, "dealing")
    assert played.answer.ok


def test_nobody_is_asked_for_a_pack_that_opens_itself() -> None:
    over = f"shoe {GRABS} {BETS} {CARDS}"
    assert snapshots(table(over).shoe)["table"].shoe_change is None
    assert snapshots(table(over, new_shoe="command").shoe)["table"].shoe_change == "due"


def test_the_highest_bid_is_banker_and_equal_ones_draw_lots() -> None:
    assert did(table("1:grab=0 2:grab=1 3:grab=2 4:grab=0"), "banker") == [("banker", "S3", 2)]
    drawn = table("1:grab=0 2:grab=2 3:grab=1 4:grab=2")
    assert did(drawn, "banker") == []
    drawn.play("lot=3")
    assert (drawn.answer.error, drawn.answer.hint) == ("not_in_lot", "lot: one of 2, 4")
    assert did(drawn.play("lot=4"), "banker") == [("banker", "S4", 2)]


def test_where_nobody_grabs_the_lot_is_among_all_and_the_multiple_is_one() -> None:
    drawn = table("1:grab=0 2:grab=0 3:grab=0 4:grab=0 lot=2")
    assert did(drawn, "banker") == [("banker", "S2", 1)]


@pytest.mark.parametrize(
    ("before", "mark", "code", "hint"),
    [
        ("", "1:bet=2", "not_allowed", "waiting for grab from S1, S2, S3, S4"),
        ("", "lot=2", "not_allowed", "waiting for grab from S1, S2, S3, S4"),
        ("1:grab=2", "5:grab=2", "not_your_turn", "waiting for grab from S2, S3, S4"),
        (
            "1:grab=2",
            "1:grab=3",
            "already_marked",
            "seat 1 has already given its grab; waiting for grab from S2, S3, S4",
        ),
        ("1:grab=2", "2:grab=4", "bad_amount", "grab: one of 0, 1, 2, 3"),
        ("1:grab=2", "2:grab", "bad_amount", "grab: one of 0, 1, 2, 3"),
        ("1:grab=2", "grab=2", "unknown", "name the seat: 3:grab"),
        ("1:grab=2", "2:lot=1", "unknown", "the lot has no seat: lot=1"),
        ("1:grab=2", "2:fold", "unknown", "the marks of niuniu: grab, bet, lot"),
        ("1:grab=2 2:grab=2 3:grab=0 4:grab=0", "3:bet=1", "not_allowed", "give the draw: lot=1 or lot=2"),
        (GRABS, "1:bet=1", "not_your_turn", "waiting for bet from S2, S3, S4"),
        (GRABS, "2:bet=0", "bad_amount", "bet: one of 1, 2, 3"),
        (f"{GRABS} {BETS}", "2:bet=1", "no_mark_due", "S1 due"),
    ],
)
def test_a_refused_mark_says_what_may_be_done_instead(before: str, mark: str, code: str, hint: str) -> None:
    refused = table(before)
    asked = (refused.shoe.turn, refused.shoe.replies)
    refused.play(mark)
    assert (refused.answer.error, refused.answer.hint) == (code, hint)
    assert (refused.shoe.turn, refused.shoe.replies) == asked


def test_bids_that_are_owed_at_once_share_one_number() -> None:
    asked = table("1:grab=2")
    assert asked.shoe.turn == 0
    assert asked.play("3:grab=1 2:grab=0").shoe.turn == 0
    assert asked.play("4:grab=0").shoe.turn == 1


def test_a_sealed_house_turns_a_hand_a_press_the_bankers_last() -> None:
    sealed = table(f"1:grab=0 2:grab=1 3:grab=3 4:grab=2 1:bet=1 2:bet=2 4:bet=3 {CARDS}", disclose="sealed")
    assert did(sealed, "turn") == []
    for n, slot in enumerate(("S4", "S1", "S2", "S3"), 1):
        assert not sealed.rounds
        sealed.play("reveal")
        assert [words[1] for words in did(sealed, "turn")][n - 1 :] == [slot]
    opened = table(f"1:grab=0 2:grab=1 3:grab=3 4:grab=2 1:bet=1 2:bet=2 4:bet=3 {CARDS}")
    assert [words[1] for words in did(opened, "turn")] == ["S1", "S2", "S3", "S4"]
    ends = [{name: each.rounds[0][name] for name in ("hands", "bets", "outcomes")} for each in (sealed, opened)]
    assert ends[0] == ends[1]


def test_a_hand_is_not_opened_before_its_turn() -> None:
    sealed = table(f"{GRABS} {BETS} {CARDS} !reveal", disclose="sealed")
    sealed.play("next")
    assert {slot for slot, each in zip(["S1", "S2", "S3", "S4"] * 5, sealed.shoe.laid, strict=True) if each.shown} == {
        "S2"
    }


def test_what_lies_face_down_is_nowhere_outside() -> None:
    playing = table(f"{GRABS} {BETS} {CARDS.rpartition(' ')[0]}")
    assert not [text for text in playing.shown for face in CARDS.split()[:-1] if f'"{face}"' in text]
    assert not any(laid.shown for laid in playing.shoe.laid)


def test_the_table_shows_bids_banker_and_bets() -> None:
    on_table = [snapshots(table(text).shoe)["table"].shows for text in ("1:grab=2", GRABS, f"{GRABS} 3:bet=1")]
    assert on_table[0] == {"bids": {"S1": 2}, "banker": None, "multiple": None, "bets": {}}
    assert (on_table[1]["banker"], on_table[1]["multiple"]) == ("S1", 3)
    assert on_table[2] == {
        "bids": {"S1": 3, "S2": 1, "S3": 0, "S4": 2},
        "banker": "S1",
        "multiple": 3,
        "bets": {"S3": 1},
    }


def test_a_screen_says_bids_in_words() -> None:
    assert shown({"S1": 3, "S2": 0}) == "S1 3, S2 0"
    assert shown("S1") == "S1"


def test_a_void_gives_back_nothing_because_nothing_was_put_in() -> None:
    voided = table(f"{GRABS} {BETS} Kh 2c !void misdeal")
    [message] = voided.rounds
    assert (message["status"], message["cards"]) == ("voided", [])
    assert {float(put) for put, _ in message["stakes"].values()} == {0.0}
    assert voided.play("1:grab=0").shoe.number == 2  # a pack is one game, a voided one too


def test_a_correction_is_the_whole_game_again() -> None:
    played = table(f"{GRABS} {BETS} {CARDS}")
    words = f"{GRABS} {BETS} {CARDS.replace('Ah', 'Ac')}".split()
    played.play(f"!correct 1 {','.join(words)}")
    assert played.answer.ok
    assert [message["revision"] for message in played.rounds] == [0, 1]
    assert played.rounds[1]["hands"]["S4"]["cards"][-1] == "Ac"


@pytest.mark.parametrize(
    ("words", "error", "hint"),
    [
        (f"{GRABS} 2:bet=7", "2:bet=7 is not possible in place 5", "S2: bet; S3: bet; S4: bet"),
        (f"{GRABS} Kh", "Kh is not possible in place 5", "S2: bet; S3: bet; S4: bet"),
        (f"{GRABS} {BETS} Kh", "these words are not a complete round", "the round goes on: the next card goes to S2"),
        (f"{GRABS} {BETS} {CARDS} 5d", "5d is not possible in place 28", "the round ends before it"),
        (f"{GRABS} {BETS} 5p", "5p is not a card of niuniu", "write a card as rank and suit: As, Td"),
    ],
)
def test_a_correction_that_is_no_game_is_refused_with_its_first_wrong_word(words: str, error: str, hint: str) -> None:
    played = table(f"{GRABS} {BETS} {CARDS}").play(f"!correct 1 {','.join(words.split())}")
    assert (played.answer.error, played.answer.hint) == (error, hint)
    assert len(played.rounds) == 1


@pytest.mark.parametrize(("disclose", "presses"), [("dealt", 0), ("sealed", 1)])
def test_a_card_that_was_not_read_is_asked_for_when_its_hand_opens(disclose: str, presses: int) -> None:
    unread = inputs.CardUnread(at=0, reason="smudged", nonce="a" * 32)
    before, after = CARDS.split(" 9s ")
    played = table("", disclose=disclose).play(f"{GRABS} {BETS} {before}", unread)
    assert not played.play(after).open or disclose == "dealt"
    for _ in range(presses):
        played.play("reveal")
    assert played.open == ("unreadable",)
    played.play("!enter 9s")
    assert played.answer.ok
    while not played.rounds:
        played.play("reveal")
    assert played.rounds[0]["hands"]["S3"]["cards"][0] == "9s"
    assert played.rounds[0]["flags"] == ["manual"]


def test_a_small_base_is_paid_to_the_last_digit() -> None:
    played = table(f"{GRABS} {BETS} {CARDS}", base=Decimal("0.05"))
    assert played.rounds[0]["bets"] == {"S1": "2.7", "S2": "-1.35", "S3": "-0.45", "S4": "-0.9"}
