"""What goes wrong around a table in more detail: counts, readers, our own faults, the floor's choices."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.shoe import Shoe, evolve, fault
from firmware_bridge.shoe.state import blockers, cards_left
from firmware_bridge.topics.lamps import lamps
from tests.core.table import BACK, LOST, RESTART, RESUMED, Table

NATURAL = "9s Kd Th Kc"

PLAIN = {"burn": "none"}
NEXT = {"burn": "none", "close": "next"}
SIX = {"burn": "none", "close": "next", "procedure": "six-card"}


def test_burned_and_removed_cards_are_counted_as_they_should() -> None:
    over = Table(**NEXT).play(f"shoe {NATURAL} 8h !resolve overdrawn burn next")
    assert (over.seen, cards_left(over.shoe)) == ("9s Kd Th Kc 8h", 411)
    tile = Table(**PLAIN).play("shoe 9s 1p !resolve foreign remove")
    assert (tile.seen, cards_left(tile.shoe)) == ("9s", 415)
    void = Table(**PLAIN).play("shoe 9s ?? Kd !void misdeal")
    assert (void.seen, cards_left(void.shoe)) == ("9s Kd", 413)


def test_a_voided_foreign_card_leaves_the_count_even_if_it_was_held_for_another_reason() -> None:
    table = Table(**PLAIN).play("shoe 9s ?? 1p !void misdeal")
    assert table.seen == "9s"


def test_overdrawn_cards_open_the_round_after_the_reserves() -> None:
    table = Table(**SIX).play(f"shoe {NATURAL} 8h 2c 7d next")
    assert [lamp for lamp, rhythm in lamps(table.shoe).lit.items() if rhythm == "confirm"] == ["R1", "P1", "R2", "B1"]
    table.play("Kd Qh Jh next")
    assert table.dealt() == "P1 8h, B1 2c, P2 7d, B2 Kd, P3 Qh, B3 Jh"
    assert [each["from"] for each in table.rounds[-1]["cards"]] == ["carried"] * 3 + ["reader"] * 3


@pytest.mark.parametrize(("steps", "carried"), [("next", 2), ("cut next", 2), ("cut next Qs Jd Jh Qd next", 0)])
def test_the_last_round_carries_nothing(steps: str, carried: int) -> None:
    """What it leaves is discarded with the shoe, and named."""
    table = Table(**SIX).play(f"shoe {NATURAL} 2d 9h {steps}")
    assert (table.rounds[-1]["carried"], table.phase == "ended") == (carried, not carried)
    named = [each.card.value for each in table.events if isinstance(each, e.CardRevealed) and each.round is None]
    assert named == ["Jh", "Qd"][:2 if not carried else 0]
    assert table.shoe.aside == ()


def test_the_last_card_of_the_shoe_ends_it_with_the_round() -> None:
    table = Table(burn=48, decks=1).play("shoe", " ".join(f"{r}{s}" for s in "shd" for r in "A23456789TJQK"))
    table.play("Ac2c3c4c5c6c7c8c9c", "Tc Jc Qc Kc")
    assert table.phase == "ended"  # 0-0: both sides have to draw, and no card is left
    assert table.told == "1 voided last"
    table = Table(burn=48, decks=1).play("shoe", " ".join(f"{r}{s}" for s in "shd" for r in "A2345678TJQK"))
    table.play("AcJc3c4c5c6c7c8c 2c Tc Qc Kc", "9s9h9d9c")
    assert table.told == "1 closed tie last"


def test_a_held_last_card_is_dealt_before_the_shoe_is_called_empty() -> None:
    table = Table(burn=48, decks=1).play("shoe", " ".join(f"{r}{s}" for s in "shd" for r in "A2345678TJQK"))
    table.play("AcJc3c4c5c6c7c8c 2c Tc Qc Kc", "9s ?? 9d 9c", "!enter 9h")
    assert table.told == "1 closed tie last"


def test_next_means_five_things() -> None:
    confirm = Table(**PLAIN).play("shoe 9s", RESTART, "next")
    assert confirm.open == ()
    burn = Table().play("shoe 3c next")
    assert burn.open == ("burn_short",)
    third = Table(**PLAIN).play("shoe 9s next")
    assert third.open == ("missing_third",)
    closed = Table(**NEXT).play(f"shoe {NATURAL} next")
    assert closed.told == "1 closed player"
    nothing = Table(**PLAIN).play("shoe next")
    assert nothing.events[-1] == e.KeyRefused(key="next", why="nothing to end")


def test_next_by_wire_is_answered() -> None:
    table = Table(**PLAIN).play("shoe !next")
    assert (table.answer.ok, table.answer.error) == (False, "nothing to end")


def test_a_repeated_command_acts_once() -> None:
    table = Table(**NEXT).play(f"shoe {NATURAL}")
    first = table.take(table.order(orders.Next(), id="a"))
    assert first
    assert table.take(table.order(orders.Next(), id="a")) == ()
    assert table.told == "1 closed player"
    table.play(RESTART, "!close_shoe shoe")
    assert table.take(table.order(orders.Next(), id="a")) == ()


def test_an_entered_card_is_told_again_by_the_reader_and_dealt_once() -> None:
    table = Table(**PLAIN).play("shoe")
    table.take(table.card("9s", report=inputs.ReportNo(1, 0)))
    table.play(LOST, "!enter Kd", RESUMED)
    table.take(table.card("Kd", report=inputs.ReportNo(1, 1)))
    table.play("Th Kc")
    assert table.dealt() == "P1 9s, B1 Kd, P2 Th, B2 Kc"
    assert table.rounds[-1]["flags"] == ["manual"]


def test_an_entered_card_is_told_again_in_the_next_shoe() -> None:
    table = Table(**PLAIN).play("shoe")
    table.take(table.card("9s", report=inputs.ReportNo(1, 0)))
    table.play(LOST, "!enter Kd !void misdeal !close_shoe shoe", RESUMED)
    table.take(table.card("Kd", report=inputs.ReportNo(1, 1)))
    assert (table.due, table.seen) == ("P1", "")


@pytest.mark.parametrize("hello", [True, False])
def test_a_reader_first_heard_of_after_an_entry_confirms_it(hello: bool) -> None:
    table = Table(**PLAIN).play("shoe", LOST, "!enter 9s")
    table.play(*[inputs.ReaderBooted(at=0, session=1)] * hello, RESUMED)
    table.take(table.card("9s", report=inputs.ReportNo(1, 0)))
    assert (table.seen, table.open, table.due) == ("9s", (), "B1")


def test_a_reader_that_keeps_no_reports_confirms_no_entered_card() -> None:
    table = Table(**PLAIN).play("shoe", LOST, "!enter 9s", BACK, "next")
    table.take(table.card("9s", report=inputs.ReportNo(1, 0)))
    assert table.seen == "9s 9s"


def test_another_card_than_the_one_entered_blocks() -> None:
    table = Table(**PLAIN).play("shoe")
    table.take(table.card("9s", report=inputs.ReportNo(1, 0)))
    table.play(LOST, "!enter Kd", RESUMED)
    table.take(table.card("Qd", report=inputs.ReportNo(1, 1)))
    assert table.open == ("reader_gap",)


def test_one_person_cannot_enter_a_card() -> None:
    table = Table(**PLAIN).play("shoe ??")
    for second in ("", "floor", " Floor "):
        table.take(table.order(orders.Enter(table.card("9s").card, second)))
        assert not table.answer.ok
    assert table.open == ("unreadable",)


def test_a_card_nobody_waits_for_cannot_be_entered() -> None:
    table = Table(**PLAIN).play("shoe 9s !enter Kd")
    assert table.answer.error == "no card waits to be entered"


@pytest.mark.parametrize("hello", [True, False])
def test_a_new_board_session_inside_a_shoe_waits_for_the_dealer(hello: bool) -> None:
    table = Table(**PLAIN).play("shoe")
    table.take(table.card("9s", report=inputs.ReportNo(1, 0)))
    if hello:
        table.play(inputs.ReaderBooted(at=0, session=2))
    table.take(table.card("Kd", report=inputs.ReportNo(2, 0)))
    assert (table.open, table.phase, len(table.shoe.held)) == (("reader_gap",), "dealing", 1)
    table.play("next Th Kc")
    assert table.told == "1 closed player"


def test_a_new_board_session_between_shoes_is_no_matter() -> None:
    table = Table(**PLAIN, new_shoe="auto")
    for session in (1, 2):
        for seq, card in enumerate(["9s", "Kd", "Th"]):
            table.take(table.card(card, report=inputs.ReportNo(session, seq)))
        table.play("cut")
        table.take(table.card("Kc", report=inputs.ReportNo(session, 3)))
    assert table.told == "1 closed player last, 1 closed player last"
    assert [line.public.seq for line in table.lines if line.public.journal.startswith("2-")] == [1, 2, 3, 4, 5]


def test_lost_reports_wait_for_the_dealer() -> None:
    table = Table(**PLAIN).play("shoe")
    table.take(table.card("9s", report=inputs.ReportNo(1, 0)))
    table.take(table.card("Th", report=inputs.ReportNo(1, 40), gap=True))
    assert table.open == ("reader_gap",)
    assert not lamps(table.shoe).lit.keys() & {"P1", "B1"}
    table.play("!resolve reader_gap void")
    assert (table.told, table.seen) == ("1 voided", "9s Th")


def test_lost_reports_before_the_card_that_opens_a_shoe_wait_too() -> None:
    table = Table(**PLAIN, new_shoe="auto")
    table.take(table.card("9s", report=inputs.ReportNo(1, 5), gap=True))
    assert (table.phase, table.open) == ("ready", ("reader_gap",))


def test_a_repeated_report_is_nothing() -> None:
    table = Table(**PLAIN).play("shoe")
    card = table.card("9s", report=inputs.ReportNo(1, 0))
    assert table.take(card)
    assert table.take(card) == ()


@pytest.mark.parametrize(("seq", "is_new"), [(10, False), (235, False), (234, True), (11, True), (180, True)])
def test_a_report_is_a_repeat_only_if_a_board_can_still_hold_it(seq: int, is_new: bool) -> None:
    table = Table(**PLAIN).play("shoe")
    table.take(table.card("9s", report=inputs.ReportNo(1, 10)))
    assert bool(table.take(table.card("Kd", report=inputs.ReportNo(1, seq)))) is is_new


@pytest.mark.parametrize("choice", ["continue", "void"])
def test_an_error_of_our_own_holds_the_card(choice: str) -> None:
    table = Table(**PLAIN).play("shoe 9s")
    card = table.card("Kd")
    table.carry(card, fault(table.shoe, card, ValueError("Kd")))
    table.play("Th")
    assert (table.open, len(table.shoe.held), table.due) == (("internal_error",), 2, None)
    table.play(f"!resolve internal_error {choice}", "Kc")
    assert (table.told, table.seen) == {
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
    assert next(event.detail for event in events if isinstance(event, e.Irregular)).startswith("ValueError in test_an")


def test_an_error_with_no_shoe_open_voids_no_round() -> None:
    table = Table(**PLAIN)
    card = table.card("Kd")
    table.carry(card, fault(table.shoe, card, ValueError()))
    table.play("!resolve internal_error void")
    assert (table.told, table.answer.ok) == ("", False)


def test_a_disk_that_failed_is_told_afterwards() -> None:
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
    assert (table.answer.ok, table.answer.hint) == (False, "nothing is to decide: it closes by itself")


def test_the_policy_is_the_one_the_shoe_was_opened_under() -> None:
    """An update of the software inside a shoe changes no row of it."""
    table = Table(**PLAIN).play("shoe")
    opened = next(event for event in table.events if isinstance(event, e.ShoeOpened))
    lenient = {"jam": replace(opened.policy["jam"], blocks=False)}
    shoe = evolve(evolve(Shoe(), replace(opened, policy=lenient)), e.Irregular(id="jam", detail="", since=0))
    assert blockers(shoe) == ()
    assert blockers(evolve(shoe, e.Irregular(id="unreadable", detail="", since=0))) == ("unreadable",)


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
    assert table.told == "1 closed player"


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
    assert table.told == "1 closed player, 2 closed banker last"
