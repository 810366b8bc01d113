"""Guests at a table of their own, the clocks, dealers, and the confirmed shuffle."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from firmware_bridge.facts import events, inputs, orders
from firmware_bridge.facts.cards import FACES
from firmware_bridge.shoe.handlers.disclosure import deadline
from firmware_bridge.topics.lamps import lamps
from firmware_bridge.topics.state import snapshots
from tests.kit.table import Table

NATURAL = "9s Kd Th Kc"
THIRDS = "2s 2d 3h Ac"  # player 5 draws, banker 3
VIP: dict[str, Any] = {"burn": "none", "mode": "vip"}
BETS: dict[str, Any] = VIP | {"betting": "required"}
SEALED: dict[str, Any] = {"burn": "none", "disclose": "sealed"}


SHUFFLED = [card.value for card in FACES * 8]
Random(3).shuffle(SHUFFLED)


def rounds(table: Table, count: int) -> Table:
    """So many more rounds of a shuffled shoe."""
    end = len(table.rounds) + count
    while len(table.rounds) < end:
        table.play(SHUFFLED[len(table.shoe.seen)])
    return table


def named(table: Table) -> str:
    """The slots opened so far, each step of the ceremony in its order."""
    return " ".join(each.slot or "-" for each in table.events if isinstance(each, events.CardRevealed))


# ---------------------------------------------------------------- fly


def test_five_rounds_fly_and_the_sixth_is_refused() -> None:
    table = Table(**BETS).play("shoe")
    for _ in range(5):
        rounds(table.play("!fly"), 1)
        assert table.answer.ok
    table.play("!fly")
    assert (table.answer.ok, table.answer.error) == (False, "fly refused: already 5 in a row")
    assert [each["flags"] for each in table.rounds] == [["fly"]] * 5
    rounds(rounds(table.play("bets-closed"), 1).play("!fly"), 1)
    assert (table.answer.ok, table.shoe.device.flown) == (True, 1)


@pytest.mark.parametrize("voided", ["bets-closed 9s !void misdeal", "!fly 9s !void misdeal"])
def test_a_voided_round_neither_adds_to_the_flies_nor_resets_them(voided: str) -> None:
    table = Table(**BETS).play("shoe")
    for _ in range(4):
        rounds(table.play("!fly"), 1)
    assert table.play(voided).shoe.device.flown == 4
    rounds(table.play("!fly"), 1)
    assert table.play("!fly").answer.error == "fly refused: already 5 in a row"
    table.play("bets-closed 9s !void misdeal !fly")
    assert table.answer.error == "fly refused: already 5 in a row"


def test_betting_after_all_takes_a_fly_back() -> None:
    table = Table(**BETS, disclose="sealed").play("shoe !fly !bets_open bets-closed", NATURAL)
    assert (table.shoe.device.flown, named(table)) == (0, "")
    table.play("reveal reveal")
    assert table.rounds[0]["flags"] == []


def test_a_round_that_flies_opens_as_it_is_drawn() -> None:
    table = Table(**BETS, disclose="sealed").play("shoe !fly", THIRDS)
    assert named(table) == "P1 P2 B1 B2"
    table.play("9s 4d")
    assert (table.summary, table.phase) == ("1 closed banker", "betting")


@pytest.mark.parametrize("what", ["fly", "request_shoe_change", "request_dealer_change"])
def test_what_only_a_vip_table_offers(what: str) -> None:
    table = Table(burn="none").play(f"shoe !{what}")
    assert "only possible at a VIP table" in (table.answer.error or "")


@pytest.mark.parametrize(
    ("steps", "error"), [("!fly !fly", "this round is already without a bet"), ("9s !fly", "a round is open")]
)
def test_no_fly_now(steps: str, error: str) -> None:
    table = Table(**VIP).play("shoe", steps)
    assert table.answer.error == error


def test_a_fly_settles_no_card_that_the_floor_must_see() -> None:
    table = Table(**BETS, policy="macau").play("shoe 9s !fly")
    assert (table.open, table.phase) == (("drawn_before_bets_closed",), "ready")


# ---------------------------------------------------------------- another shoe, another dealer


def test_another_shoe_after_more_than_thirty_rounds_within_five_minutes() -> None:
    table = rounds(Table(**VIP).play("shoe"), 30).play("!request_shoe_change")
    assert table.answer.error == "only 30 rounds of this shoe are over"
    rounds(table, 1).play("!request_shoe_change")
    assert (table.answer.ok, change(table)) == (True, "requested")
    table.play("!request_shoe_change")
    assert not table.answer.ok
    table.play("+299s")
    assert change(table) == "requested"
    table.play("+2s")
    assert (change(table), deadline(table.shoe)) == ("overdue", None)
    table.play("!close_shoe")
    assert change(table) == "overdue"
    table.play("shoe")
    assert change(table) is None


@pytest.mark.parametrize("ends", ["!close_shoe", f"cut {NATURAL}"])
def test_the_five_minutes_go_on_when_the_shoe_is_over(ends: str) -> None:
    """Asked for, and the old shoe taken out a minute later: the new one is due all the same."""
    table = rounds(Table(**VIP).play("shoe"), 31).play("!request_shoe_change +60s", ends)
    assert (table.phase, change(table)) == ("ended", "due")
    table.play("+235s")
    assert change(table) == "due"
    table.play("+10s")
    assert (change(table), table.events[-1]) == ("overdue", events.ShoeChangeOverdue())
    assert deadline(table.shoe) is None
    assert change(table.play("shoe")) is None


@pytest.mark.parametrize(
    ("script", "acts"),
    [
        ("", ["bets", "change"]),
        ("+301s", ["bets", "change"]),
        ("!bets_closed", [""]),
        ("!bets_closed !bets_open", ["bets", "change"]),
        ("!close_shoe", ["shoe"]),
        ("!close_shoe shoe", ["bets"]),
    ],
)
def test_a_change_that_a_guest_asked_for_is_an_act_while_bets_are_open(script: str, acts: list[str]) -> None:
    table = Table(**BETS | {"shoe_change_after": 1}).play(f"shoe !fly {NATURAL} !fly {NATURAL} !request_shoe_change")
    assert (table.answer.ok, table.phase) == (True, "betting")
    table.play(script)
    assert [each.what for each in snapshots(table.shoe)["table"].expected] == acts
    assert ("shoe_change" in [each.id for each in lamps(table.shoe).reasons]) == ("change" in acts)


def test_a_shoe_in_time_is_not_overdue() -> None:
    table = rounds(Table(**VIP).play("shoe"), 31).play("!request_shoe_change !close_shoe +200s shoe +200s")
    assert not [each for each in table.events if isinstance(each, events.ShoeChangeOverdue)]


def test_a_voided_round_counts_for_the_shoe_change_as_for_closed_bets() -> None:
    table = rounds(Table(**VIP).play("shoe 9s !void misdeal"), 29).play("!request_shoe_change")
    assert (table.answer.error, table.shoe.round) == ("only 30 rounds of this shoe are over", 31)
    assert "big_tiger" in snapshots(table.shoe)["table"].closed_bets
    assert rounds(table, 1).play("!request_shoe_change").answer.ok


def change(table: Table) -> str | None:
    published: str | None = snapshots(table.shoe)["table"].shoe_change
    return published


def test_a_dealer_is_asked_for_and_signs_in() -> None:
    table = Table(**VIP).play("shoe !request_dealer_change")
    assert (table.answer.ok, table.shoe.device.dealer_change) == (True, True)
    table.play("!request_dealer_change")
    assert not table.answer.ok
    table.play("!dealer Li", "9s")
    assert (table.shoe.dealer, table.shoe.device.dealer_change, table.phase) == ("Li", False, "dealing")
    table.play("!void misdeal !close_shoe shoe")
    assert table.shoe.dealer == "Li"


def test_a_dealer_signs_in_by_name_before_any_shoe() -> None:
    table = Table(**VIP).play("!dealer ' '")
    assert not table.answer.ok
    table.play("!dealer Li shoe")
    assert table.shoe.dealer == "Li"


def test_a_guest_may_ask_for_a_dealer_before_the_first_shoe() -> None:
    assert Table(**VIP).play("!request_dealer_change").answer.ok


# ---------------------------------------------------------------- the confirmed shuffle


def test_no_card_is_due_before_the_pit_boss_confirms() -> None:
    table = Table(burn="none", confirm_shuffle=True).play("shoe")
    assert (table.answer.error, table.phase, table.due) == ("the shuffle is not confirmed", "empty", None)
    for name in ("", "  "):
        table.take(table.order(orders.OpenShoe(confirmed_by=name)))
        assert not table.answer.ok
    table.take(table.order(orders.OpenShoe(confirmed_by="Wu", dealer="Li")))
    opened = next(event for event in table.events if isinstance(event, events.ShoeOpened))
    assert (opened.confirmed_by, opened.dealer, table.due) == ("Wu", "Li", "P1")


def test_no_card_opens_a_shoe_that_must_be_confirmed() -> None:
    table = Table(burn="none", confirm_shuffle=True, new_shoe="auto").play("9s")
    assert (table.phase, table.seen, lamps(table.shoe).lit) == ("empty", "", {})


@pytest.mark.parametrize(
    ("house", "deal", "bet", "net"),
    [
        ({}, "9s 9d Kh Kc", "player_natural", 0),
        ({}, "9s 8d Kh Kc", "player_natural", 4),
        ({}, "8s 9d Kh Kc", "player_natural", -1),
        ({"natural_bets": "any-natural"}, "8s 9d Kh Kc", "player_natural", 4),
        ({}, "9s 9d 9h 9c 4d 3c", "tiger_pair", 20),
        ({"tiger_pair_top": "same-rank"}, "4s 4d 4h 4c", "tiger_pair", 100),
        ({}, "4s 4d 4h 4c", "tiger_pair", 20),
    ],
)
def test_houses_differ(house: dict[str, Any], deal: str, bet: str, net: float) -> None:
    table = Table(burn="none", **house).play("shoe", deal)
    assert table.rounds[0]["bets"][bet] == net


def test_time_that_nobody_waits_for_is_nothing() -> None:
    table = Table(**SEALED).play(f"shoe {NATURAL}")
    assert table.take(inputs.TimePassed(at=0)) == ()
