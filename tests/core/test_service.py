"""Guests at a table of their own, the clocks, dealers, and the confirmed shuffle."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from msgspec.structs import replace

from firmware_bridge.facts import events, inputs, orders
from firmware_bridge.facts.cards import FACES
from firmware_bridge.games.baccarat.bets import closed
from firmware_bridge.shoe import decide
from firmware_bridge.shoe.judges.disclosure import deadline
from firmware_bridge.topics.lamps import lamps
from firmware_bridge.topics.state import snapshots
from tests.core.table import RESTART, Table

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


# ---------------------------------------------------------------- opening sealed cards

# settings, steps -> slots opened, rounds, phase
OPENED: list[tuple[str, dict[str, Any], str, str, str, str]] = [
    ("one press per step", SEALED, f"shoe {THIRDS} reveal", "P1 P2", "", "dealing"),
    ("then the banker's pair", SEALED, f"shoe {NATURAL} reveal reveal", "P1 P2 B1 B2", "1 closed player", "ready"),
    ("nothing before the pairs are out", SEALED, "shoe 9s Kd Th reveal", "", "", "dealing"),
    ("the third is drawn first", SEALED, f"shoe {THIRDS} reveal reveal reveal", "P1 P2 B1 B2", "", "dealing"),
    ("P3 alone", SEALED, f"shoe {THIRDS} reveal reveal 9s reveal", "P1 P2 B1 B2 P3", "", "dealing"),
    (
        "B3 after it",
        SEALED,
        f"shoe {THIRDS} reveal reveal 9s reveal 4d reveal",
        "P1 P2 B1 B2 P3 B3",
        "1 closed banker",
        "ready",
    ),
    ("NEXT closes", SEALED | {"close": "next"}, f"shoe {NATURAL} reveal reveal", "P1 P2 B1 B2", "", "complete"),
    ("and not before", SEALED | {"close": "next"}, f"shoe {NATURAL} reveal next", "P1 P2", "", "dealing"),
    ("the time opens all", SEALED, f"shoe {NATURAL} +60.1s", "P1 P2 B1 B2", "1 closed player", "ready"),
    ("and not before its end", SEALED, f"shoe {NATURAL} +59.9s", "", "", "dealing"),
    ("what comes after opens as drawn", SEALED, f"shoe {THIRDS} +61s 9s 4d", "P1 P2 B1 B2 P3 B3", "1 closed banker", "ready"),
    ("only in its round", SEALED, f"shoe {NATURAL} +61s {NATURAL}", "P1 P2 B1 B2", "1 closed player", "dealing"),
    ("from the close of betting", SEALED | {"betting": "required"}, f"shoe bets-closed +61s {NATURAL}", "P1 P2 B1 B2", "1 closed player", "betting"),
    ("which begins anew", SEALED | {"betting": "required"}, f"shoe bets-closed +50s bets-open +99s bets-closed +50s {NATURAL}", "", "", "dealing"),
    ("another time is set", SEALED | {"reveal_timeout": 5}, f"shoe {NATURAL} +5.1s", "P1 P2 B1 B2", "1 closed player", "ready"),
    ("six cards first", SEALED | {"procedure": "six-card"}, f"shoe {THIRDS} 9s reveal", "", "", "dealing"),
    ("six: by steps", SEALED | {"procedure": "six-card"}, f"shoe {THIRDS} 9s 4d reveal reveal reveal", "P1 P2 B1 B2 P3", "", "dealing"),
    ("six: to the end", SEALED | {"procedure": "six-card"}, f"shoe {THIRDS} 9s 4d reveal reveal reveal reveal", "P1 P2 B1 B2 P3 B3", "1 closed banker", "ready"),
    ("six: reserves stay sealed", SEALED | {"procedure": "six-card"}, f"shoe {NATURAL} 9s 4d reveal reveal", "P1 P2 B1 B2", "1 closed player", "ready"),
    ("a card too soon waits, then opens the next round", SEALED, f"shoe {NATURAL} 2s reveal reveal", "P1 P2 B1 B2", "1 closed player", "ready"),
    ("or is the third", SEALED, f"shoe {THIRDS} 9s reveal reveal", "P1 P2 B1 B2", "", "dealing"),
    ("cut card behind the round's last card", SEALED, f"shoe {NATURAL} cut reveal reveal", "P1 P2 B1 B2", "1 closed player", "ready"),
    ("cut card before a third", SEALED, f"shoe {THIRDS} cut reveal reveal 9s reveal 4d reveal", "P1 P2 B1 B2 P3 B3", "1 closed banker last", "ended"),
    ("an empty shoe voids when it shows", SEALED | {"burn": 48, "decks": 1}, f"shoe BURN {THIRDS} reveal", "P1 P2", "", "dealing"),
    ("now it shows", SEALED | {"burn": 48, "decks": 1}, f"shoe BURN {THIRDS} reveal reveal", "P1 P2 B1 B2" + 48 * " -", "1 voided last", "ended"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("house", "steps", "slots", "rounds", "phase"), [row[1:] for row in OPENED], ids=[row[0] for row in OPENED]
)
def test_opening(house: dict[str, Any], steps: str, slots: str, rounds: str, phase: str) -> None:
    burned = " ".join(f"{r}{s}" for r in "A23456789TJQK" for s in "shdc" if f"{r}{s}" not in THIRDS)
    table = Table(**house).play(steps.replace("BURN", burned))
    assert (named(table), table.told, table.phase) == (slots, rounds, phase)


# slots asked for one after the other -> opened
BY_WIRE = [
    (["B1"], "B1"),
    (["B1 B2", "P2", "P1"], "B1 B2 P2 P1"),
    (["P1 P1"], "P1"),
    (["P1 R1"], ""),
    (["P3"], ""),
    (["B3"], ""),
    (["", ""], "P1 P2 B1 B2"),
]


@pytest.mark.parametrize(("asked", "slots"), BY_WIRE)
def test_guests_open_cards_one_by_one(asked: list[str], slots: str) -> None:
    table = Table(**SEALED).play(f"shoe {THIRDS}")
    for each in asked:
        table.take(table.order(orders.Reveal(tuple(each.split()))))
    assert named(table) == slots
    assert table.answer.ok is bool(slots)


def test_at_a_table_that_shows_its_cards_there_is_nothing_to_reveal() -> None:
    table = Table(**VIP).play("shoe 9s !reveal")
    assert table.answer.error == "nothing to reveal"


def test_the_clocks_go_on_through_a_restart_of_the_daemon() -> None:
    table = Table(**SEALED).play(f"shoe {NATURAL} +40s")
    before = deadline(table.shoe)
    table.play(RESTART, "+15s")
    assert (deadline(table.shoe), named(table)) == (before, "")
    table.play("+6s")
    assert named(table) == "P1 P2 B1 B2"


def test_after_a_boot_the_clocks_begin_anew() -> None:
    table = Table(**SEALED).play(f"shoe {NATURAL} +4000s {NATURAL}")
    booted = decide(table.shoe, replace(RESTART, mono=5_000))
    assert events.RevealClockStarted(until=65_000) in booted


def test_where_betting_is_ignored_each_last_card_has_its_time() -> None:
    table = Table(**SEALED).play("shoe 2s 3s 2d 3d reveal reveal")
    assert deadline(table.shoe) is None
    table.play("+300s 4s")
    assert named(table) == "P1 P2 B1 B2"
    table.play("+59s")
    assert named(table) == "P1 P2 B1 B2"
    table.play("+2s")
    assert named(table).startswith("P1 P2 B1 B2 P3")


def test_a_fly_comes_before_bets_are_closed() -> None:
    table = Table(**VIP | {"betting": "required"}).play("shoe bets-closed !fly")
    assert table.answer.error == "bets are closed"


def test_a_shoe_change_keeps_the_flies_and_the_dealer_to_come() -> None:
    table = Table(**VIP).play(f"shoe !fly {NATURAL} !request_dealer_change !close_shoe !open_shoe")
    assert (table.shoe.device.flown, table.shoe.device.dealer_change) == (1, True)


def test_a_fly_that_was_never_dealt_does_not_count() -> None:
    table = Table(**VIP)
    for _ in range(6):
        table.play("shoe !fly")
        assert table.answer.ok
        table.play("!close_shoe")
    assert (table.shoe.device.flown, table.shoe.flying) == (0, False)


def test_several_cards_at_once_after_the_time_make_the_rounds_of_cards_one_by_one() -> None:
    """Held cards are dealt after a block: the round is closed with its last one, the others open the next."""
    held = Table(**SEALED, policy="us-burn", betting="required").play("shoe bets-closed +61s ?? Kd Th Kc 2s !enter 9s")
    assert (held.told, held.seen.split()[4:]) == ("1 closed player", ["2s"])
    assert not [each for each in held.events if isinstance(each, events.Irregular) and each.id == "overdrawn"]


# ---------------------------------------------------------------- fly


def test_five_rounds_fly_and_the_sixth_is_refused() -> None:
    table = Table(**BETS).play("shoe")
    for _ in range(5):
        rounds(table.play("!fly"), 1)
        assert table.answer.ok
    table.play("!fly")
    assert (table.answer.ok, table.answer.error) == (False, "fly refused: 5 in a row already")
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
    assert table.play("!fly").answer.error == "fly refused: 5 in a row already"
    table.play("bets-closed 9s !void misdeal !fly")
    assert table.answer.error == "fly refused: 5 in a row already"


def test_betting_after_all_takes_a_fly_back() -> None:
    table = Table(**BETS, disclose="sealed").play("shoe !fly !bets_open bets-closed", NATURAL)
    assert (table.shoe.device.flown, named(table)) == (0, "")
    table.play("reveal reveal")
    assert table.rounds[0]["flags"] == []


def test_a_round_that_flies_opens_as_it_is_drawn() -> None:
    table = Table(**BETS, disclose="sealed").play("shoe !fly", THIRDS)
    assert named(table) == "P1 P2 B1 B2"
    table.play("9s 4d")
    assert (table.told, table.phase) == ("1 closed banker", "betting")


@pytest.mark.parametrize("what", ["fly", "request_shoe_change", "request_dealer_change"])
def test_what_only_a_vip_table_offers(what: str) -> None:
    table = Table(burn="none").play(f"shoe !{what}")
    assert "VIP table only" in (table.answer.error or "")


@pytest.mark.parametrize(("steps", "error"), [("!fly !fly", "this round flies already"), ("9s !fly", "a round is open")])
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


def test_a_shoe_in_time_is_not_overdue() -> None:
    table = rounds(Table(**VIP).play("shoe"), 31).play("!request_shoe_change !close_shoe +200s shoe +200s")
    assert not [each for each in table.events if isinstance(each, events.ShoeChangeOverdue)]


def test_a_voided_round_counts_for_the_shoe_change_as_for_closed_bets() -> None:
    table = rounds(Table(**VIP).play("shoe 9s !void misdeal"), 29).play("!request_shoe_change")
    assert (table.answer.error, table.shoe.round) == ("only 30 rounds of this shoe are over", 31)
    assert "big_tiger" in closed_bets(table)
    assert rounds(table, 1).play("!request_shoe_change").answer.ok


def change(table: Table) -> str | None:
    told: str | None = snapshots(table.shoe)["table"].shoe_change
    return told


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


# ---------------------------------------------------------------- closed bets


def test_bets_close_with_the_first_card_of_the_round_before() -> None:
    """What is told is of the next round a bet can be taken for: 30 until its first card is drawn, then 31."""
    table = rounds(Table(burn="none").play("shoe"), 29)
    assert (table.shoe.round, closed_bets(table)) == (30, ())
    table.play(SHUFFLED[-1])
    assert (table.shoe.round, table.phase, len(closed_bets(table))) == (30, "dealing", 10)
    rounds(table, 1)
    assert "big_tiger" in closed_bets(table)
    assert "lucky_6" not in closed_bets(table)
    rounds(table, 20)
    assert {"lucky_6", "player_pair", "big_tiger"} <= set(closed_bets(table))
    assert not {"player", "banker", "tie", "player_natural"} & set(closed_bets(table))
    assert closed_bets(table.play("!close_shoe shoe")) == ()


@pytest.mark.parametrize("house", [{"close": "next"}, {"close": "next", "procedure": "six-card"}, {"betting": "required"}])
def test_each_moment_tells_the_bets_closed_in_the_next_betting(house: dict[str, Any]) -> None:
    table = Table(burn="none", **house).play("shoe")
    for number in range(1, 53):
        before, after = closed(number), closed(number + 1)
        if table.phase == "betting":
            assert closed_bets(table) == before
            assert closed_bets(table.play("bets-closed")) == before
            assert closed_bets(table.play("bets-open bets-closed") if number == 1 else table) == before
        assert (table.phase, closed_bets(table)) == ("ready", before)
        while table.shoe.round == number:
            table.play("next" if table.phase == "complete" else SHUFFLED[len(table.shoe.seen)])
            assert closed_bets(table) == after


def test_no_bet_is_taken_for_a_round_whose_first_card_waits_for_people() -> None:
    table = Table(**BETS).play("shoe")
    for _ in range(29):
        rounds(table.play("bets-closed"), 1)
    assert closed_bets(table.play("bets-closed")) == closed(30)
    assert closed_bets(table.play("??")) == closed(31)
    assert not table.play("bets-open").answer.ok
    assert closed_bets(table.play("!enter 9s")) == closed(31)


def test_no_bet_is_taken_for_a_round_whose_carried_cards_are_named() -> None:
    table = Table(burn="none", procedure="six-card", betting="required", close="next").play("shoe")
    table.play("bets-closed 9s Kd Th Kc 8h 8d next")
    assert (table.phase, table.shoe.round, closed_bets(table)) == ("betting", 2, closed(2))
    table.play("bets-closed")
    assert not table.play("bets-open").answer.ok
    assert snapshots(table.shoe)["table"].round == 2


def closed_bets(table: Table) -> tuple[str, ...]:
    told: tuple[str, ...] = snapshots(table.shoe)["table"].closed_bets
    return told


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
