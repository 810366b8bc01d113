"""What guests see of a table: what is shown, and when bets are open."""

from __future__ import annotations

import json
from typing import Any

import pytest

from firmware_bridge.floor.page.guest.fold import fold
from firmware_bridge.floor.page.guest.html import screen
from firmware_bridge.floor.page.guest.view import Limit, view
from firmware_bridge.games.guest import Hand
from tests.floor.guest_stage import Said, Stage
from tests.floor.guest_table import kept, seen, status, table

BETTING = {"betting": "required"}


@pytest.mark.parametrize(
    ("text", "house", "bets", "number"),
    [
        ("shoe", BETTING, "open", 1),
        ("shoe bets-closed", BETTING, "closed", 1),
        ("shoe bets-closed bets-open", BETTING, "open", 1),
        ("shoe bets-closed 9s", BETTING, "closed", 1),
        ("shoe bets-closed 9s Kd Th Kc", BETTING, "open", 2),
        ("shoe", {}, "open", 1),
        ("shoe 9s", {}, "closed", 1),
        ("shoe 9s Kd Th Kc", {}, "open", 2),
        ("shoe", {"burn": "first-card"}, "closed", 1),
        ("", {}, "closed", None),
        ("shoe 9s Kd Th Kc !close_shoe", {}, "closed", None),
    ],
)
def test_bets_are_open_until_an_order_or_the_first_card_closes_them(
    text: str, house: dict[str, Any], bets: str, number: int | None
) -> None:
    shown = seen(text, **house)
    assert (shown.waits, shown.bets, shown.round) == (False, bets, number)


def test_cards_of_the_present_round_are_seen_live_where_the_house_wants_it_and_else_when_it_is_over() -> None:
    assert seen("shoe 9s Kd Th").cards == ()
    assert seen("shoe 9s Kd Th", "live").cards == (Hand("player", ("9s", "Th")), Hand("banker", ("Kd",)))
    over = seen("shoe 9s Kd Th Kc", "live")
    assert over.cards == ()
    assert over.result
    assert over.result.hands == (Hand("player", ("9s", "Th"), "9"), Hand("banker", ("Kd", "Kc"), "0"))
    assert (over.result.round, over.result.outcome, over.result.natural) == (1, "wins.player", True)


def test_a_card_drawn_before_bets_are_closed_is_not_seen_until_it_is_dealt() -> None:
    assert seen("shoe 9s", "live", **BETTING).cards == ()
    assert seen("shoe 9s bets-closed", "live", **BETTING).cards == (Hand("player", ("9s",)),)


def test_a_sealed_card_is_a_back_until_it_is_opened() -> None:
    house = BETTING | {"disclose": "sealed"}
    assert seen("shoe bets-closed 9s Kd Th Kc", "live", **house).cards == (
        Hand("player", (None, None)),
        Hand("banker", (None, None)),
    )
    assert seen("shoe bets-closed 9s Kd Th Kc reveal", "live", **house).cards[0] == Hand("player", ("9s", "Th"))


def test_six_cards_lie_where_they_are_played() -> None:
    house = {"procedure": "six-card", "close": "next"}
    both = seen("shoe 2s 3d 3h Tc 7s 9d", "live", **house).cards
    assert both == (Hand("player", ("2s", "3h", "7s")), Hand("banker", ("3d", "Tc", "9d")))
    one = seen("shoe 6s 3d Kh Tc 7s 9d", "live", **house).cards
    assert one == (Hand("player", ("6s", "Kh")), Hand("banker", ("3d", "Tc", "7s")))


def test_a_voided_round_is_void_and_names_no_card() -> None:
    shown = seen("shoe 9s Kd !void misdeal")
    assert shown.result
    assert (shown.result.outcome, shown.result.hands) == ("void", ())


def test_a_corrected_round_is_the_corrected_one() -> None:
    shown = seen("shoe 9s Kd Th Kc !correct 1 9s,Kd,Th,9c")
    assert shown.result
    assert (shown.result.outcome, shown.result.hands[1]) == ("wins.tie", Hand("banker", ("Kd", "9c"), "9"))


def test_a_blocked_table_says_please_wait_and_shows_no_round() -> None:
    shown = seen("shoe 9s Kd ??", "live")
    assert (shown.waits, shown.cards, shown.bets) == (True, (), "closed")
    drawn = screen("T07", shown, "en")
    assert "Please wait" in drawn
    assert "9<i>" not in drawn


@pytest.mark.parametrize(
    "last",
    [status("lost", n=9), status("stopped", n=9), status(n=9, mode="NO_JOURNAL"), status(n=9, mode="OBSERVE"), b""],
)
def test_a_table_that_is_gone_or_deals_nothing_says_please_wait(last: bytes) -> None:
    stage = Stage()
    table(stage, "shoe 9s")
    whole = kept(stage.said)
    assert not view(whole).waits
    plain = json.loads(last or b"{}") | {"shoe": 1, "journal": stage.lines[-1].public.journal, "boot": "boot"}
    assert view(fold(whole, "status", json.dumps(plain).encode() if last else b"")).waits
    assert view(whole, silent=True).waits


def test_limits_are_those_a_screen_has_words_for() -> None:
    assert seen("shoe").limits == (Limit("table", "100", "20000"), Limit("tie", "", "5000"))
    assert seen("", game="zhajinhua", **BETTING | {"decks": 1, "limits": {}}).limits[:2] == (
        Limit("ante", "1", ""),
        Limit("top", "10", ""),
    )


def test_the_last_result_is_none_where_rounds_were_missed() -> None:
    stage = Stage()
    table(stage, "shoe 9s Kd Th Kc 9h Kd Th Kc 9d Kd Th Kc")
    second = [each for each in stage.said if each.topic == "round"][1]
    shown = view(kept([each for each in stage.said if each.topic != "round" or each is second]))
    assert (shown.round, shown.result) == (4, None)
    assert [each.round for each in shown.results] == [2]


def test_roads_and_results_are_those_of_the_present_shoe() -> None:
    before = seen("shoe 9s Kd Th Kc !close_shoe")
    assert before.roads
    assert (len(before.roads.bead), before.result is not None) == (1, True)
    after = seen("shoe 9s Kd Th Kc !close_shoe shoe")
    assert after.roads
    assert (after.roads.bead, after.result, after.results) == ((), None, ())


def without(said: list[Said], topic: str, since: int) -> list[Said]:
    """What was said, but nothing on a topic from that line of the journal on."""
    return [each for each in said if each.topic != topic or each.line < since]


@pytest.mark.parametrize("now", ["betting", "ready", "burning", "empty", "ended", "a later one"])
def test_a_card_is_not_seen_in_any_other_phase_even_if_the_table_names_it(now: str) -> None:
    stage = Stage()
    table(stage, "shoe bets-closed 9s Kd", **BETTING)
    dealt = kept(stage.said)
    last = [each for each in stage.said if each.topic == "table"][-1]
    assert view(dealt, "live").cards
    later = json.loads(last.payload) | {"phase": now, "as_of": 99}
    assert view(fold(dealt, "table", json.dumps(later).encode()), "live").cards == ()


def test_a_round_that_is_over_is_not_the_present_one_though_the_table_says_so_still() -> None:
    stage = Stage()
    table(stage, "shoe 9s Kd Th Kc")
    shown = view(kept(without(stage.said, "table", len(stage.lines))), "live")
    assert (shown.round, shown.cards) == (1, ())
    assert shown.result
    assert shown.result.round == 1


def test_roads_of_the_shoe_before_are_not_those_of_this_one() -> None:
    stage = Stage()
    made = table(stage, "shoe 9s Kd Th Kc !close_shoe")
    ended = len(stage.lines)
    assert view(kept(stage.said)).roads
    made.play("shoe 9s")
    assert view(kept(without(stage.said, "roads", ended))).roads is None
