"""What the floor decides, what NEXT means, and what comes of our own faults."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.book.refusals import phrase
from firmware_bridge.games.house import usual
from firmware_bridge.shoe import Shoe, evolve, fault, state
from firmware_bridge.shoe.draft import Draft
from firmware_bridge.shoe.handlers import rounds
from firmware_bridge.shoe.state import blockers
from firmware_bridge.topics.state import alarms
from tests.kit.table import BACK, LOST, RESTART, RESUMED, Table

NATURAL = "9s Kd Th Kc"

PLAIN = {"burn": "none"}
NEXT = {"burn": "none", "close": "next"}


def test_next_before_the_end_of_the_burn_is_noted_and_no_warning() -> None:
    table = Table(burn="first-card").play("shoe next")
    (noted,) = alarms(table.shoe)
    assert (noted.id, noted.severity, noted.values) == ("burn_short", "note", {"why": phrase("burn_first_hidden")})


def test_next_means_five_things() -> None:
    confirm = Table(**PLAIN).play("shoe 9s", RESTART, "next")
    assert confirm.open == ()
    burn = Table().play("shoe 3c next")
    assert burn.open == ("burn_short",)
    third = Table(**PLAIN).play("shoe 9s next")
    assert third.open == ("missing_third",)
    closed = Table(**NEXT).play(f"shoe {NATURAL} next")
    assert closed.summary == "1 closed player"
    nothing = Table(**PLAIN).play("shoe next")
    assert nothing.events[-1] == e.KeyRefused(key="next", code="no_round_to_end")


def test_next_by_wire_is_answered() -> None:
    table = Table(**PLAIN).play("shoe !next")
    assert (table.answer.ok, table.answer.error) == (False, "there is no round to end")


def test_a_repeated_command_acts_once() -> None:
    table = Table(**NEXT).play(f"shoe {NATURAL}")
    first = table.take(table.order(orders.Next(), id="a"))
    assert first
    assert table.take(table.order(orders.Next(), id="a")) == ()
    assert table.summary == "1 closed player"
    table.play(RESTART, "!close_shoe shoe")
    assert table.take(table.order(orders.Next(), id="a")) == ()


@pytest.mark.parametrize("choice", ["continue", "void"])
def test_an_error_of_our_own_holds_the_card(choice: str) -> None:
    table = Table(**PLAIN).play("shoe 9s")
    card = table.card("Kd")
    table.carry(card, fault(table.shoe, card, ValueError("Kd")))
    table.play("Th")
    assert (table.open, len(table.shoe.held), table.due) == (("internal_error",), 2, None)
    table.play(f"!resolve internal_error {choice}", "Kc")
    assert (table.summary, table.seen) == {
        "continue": ("1 closed player", "9s Kd Th Kc"),
        "void": ("1 voided", "9s Kd Th Kc"),
    }[choice]


def test_an_error_of_our_own_says_where_and_not_what() -> None:
    table = Table(**PLAIN).play("shoe 9s")
    card = table.card("Kd")
    try:
        raise ValueError("the card is Kd")
    except ValueError as error:
        events = fault(table.shoe, card, error)
    [opened] = [event for event in events if isinstance(event, e.Irregular)]
    assert str(opened.values["why"]).startswith("ValueError in test_an")


def test_an_error_with_no_shoe_open_voids_no_round() -> None:
    table = Table(**PLAIN)
    card = table.card("Kd")
    table.carry(card, fault(table.shoe, card, ValueError()))
    table.play("!resolve internal_error void")
    assert (table.summary, table.answer.ok) == ("", False)


def test_a_disk_that_failed_is_reported_afterwards() -> None:
    table = Table(**PLAIN).play("shoe 9s", inputs.DiskFailed(at=0, irregularity="disk_full", why="full", until=9))
    assert [type(event).__name__ for event in table.events[-2:]] == ["Irregular", "IrregularityClosed"]
    assert (table.open, table.due) == ((), "B1")


def test_a_choice_the_policy_does_not_leave_is_refused() -> None:
    table = Table(**PLAIN).play("shoe ?? !resolve unreadable keep")
    assert (table.answer.ok, table.answer.hint) == (False, "choose one of: void")
    table.play("!resolve jam keep")
    assert (table.answer.error, table.answer.hint) == ("jam is not open", "open irregularities: unreadable")


def test_what_closes_by_itself_waits_for_nobodys_choice() -> None:
    table = Table(burn="none").play("shoe", inputs.DeviceLost(at=0, device="broker", why="gone"))
    table.play("!resolve broker_lost accept")
    assert (table.answer.ok, table.answer.hint) == (False, "no decision is needed: it closes by itself")


def test_the_policy_is_the_one_the_shoe_was_opened_under() -> None:
    """An update of the software inside a shoe changes no row of it."""
    table = Table(**PLAIN).play("shoe")
    opened = next(event for event in table.events if isinstance(event, e.ShoeOpened))
    lenient = {"jam": replace(opened.policy["jam"], blocks=False)}
    shoe = evolve(evolve(Shoe(), replace(opened, policy=lenient)), e.Irregular(id="jam", since=0))
    assert blockers(shoe) == ()
    assert blockers(evolve(shoe, e.Irregular(id="unreadable", since=0))) == ("unreadable",)


def test_a_wrong_lot_is_foreign_and_the_first_lot_is_adopted() -> None:
    table = Table(**PLAIN).play("shoe")
    table.take(table.card("9s", lot=12))
    table.take(table.card("Kd", lot=13))
    assert (table.shoe.lot, table.open) == (12, ("foreign",))


@pytest.mark.parametrize("flag", ["face_up", "double_feed", "backwards"])
def test_a_flagged_card_is_kept_once_for_all_its_flags(flag: str) -> None:
    table = Table(**PLAIN).play("shoe 9s")
    table.take(table.card("Kd", flags=(flag,)))
    assert table.open == (flag,)
    table.play(f"!resolve {flag} keep", "Th Kc")
    assert table.summary == "1 closed player"


@pytest.mark.parametrize("flag", ["face_up", "backwards"])
def test_a_flagged_card_in_the_burn_is_burned(flag: str) -> None:
    table = Table(burn=2).play("shoe 3c")
    table.take(table.card("Kd", flags=(flag,)))
    table.play(f"!resolve {flag} void")
    assert (table.phase, table.seen, table.open) == ("ready", "3c Kd", ())


def test_a_void_in_the_burn_never_burns_the_cut_card() -> None:
    table = Table(burn=3).play("shoe 3c", LOST, BACK, inputs.ReaderBooted(at=0, session=1), "4c cut 5c")
    table.play("!resolve reader_back void")
    assert (table.seen, table.shoe.last_round, table.phase) == ("3c 4c 5c", 1, "ready")


def test_a_jam_void_in_the_burn_leaves_the_foreign_card_to_the_floor() -> None:
    table = Table(burn=3).play("shoe 1p", LOST, RESUMED, inputs.CardUnread(at=0, reason="jam", nonce="a" * 32))
    table.play("!resolve jam void !resolve foreign remove 3c 4c 5c")
    assert (table.seen, table.phase) == ("3c 4c 5c", "ready")


def test_accepting_a_late_burn_does_not_reopen_betting() -> None:
    table = Table(burn=1, betting="required").play("shoe 2c 3c bets-closed !resolve burn_over accept")
    assert sum(isinstance(event, e.BetsOpened) for event in table.events) == 1


def test_a_floor_that_goes_on_cannot_undo_a_cut_card_seen_meanwhile() -> None:
    table = Table(**PLAIN, virtual_cut=412).play(f"shoe {NATURAL} 2s cut !resolve cut_card_missing continue 6d 4h Ac")
    assert table.summary == "1 closed player, 2 closed banker last"


def test_a_shoe_that_ends_with_a_held_cut_card_of_a_round_that_is_over_ends_once() -> None:
    table = Table(burn="none").play("shoe 9s Kd Th Kc 9s")
    table.play("!void misdeal")
    held = replace(table.shoe, held=(state.HeldCut("sensor", last_round=1),))
    draft = Draft(held, at=1)
    rounds.end_shoe(draft, phrase("pit", alarm="lid_opened"))
    assert [each.code for each in draft.events if isinstance(each, e.ShoeEnded)] == ["last_round"]


@pytest.mark.xfail(reason="an alarm about held cards stays open when the last of them is removed", strict=True)
def test_no_alarm_about_held_cards_is_open_while_none_is_held() -> None:
    """The reproduction alone: `drawn_before_mark` stays, and goes on into the next round."""
    table = Table(game="niuniu", **usual("niuniu"))
    table.play("1:grab=3 As As 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=1 4:bet=1", "!resolve duplicate remove")
    assert (table.shoe.held, table.open) == ((), ())
