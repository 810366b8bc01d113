"""Reports of a reader: lost, repeated, of another session, and of cards that were entered meanwhile."""

from __future__ import annotations

import pytest

from firmware_bridge.facts import inputs, orders
from firmware_bridge.facts.book.refusals import Phrase, phrase
from firmware_bridge.topics.lamps import lamps
from firmware_bridge.topics.state import alarms
from tests.kit.table import BACK, LOST, RESUMED, Table

PLAIN = {"burn": "none"}


@pytest.mark.parametrize(
    ("seq", "why"), [(0, phrase("reader_restarted")), (40, phrase("reports_lost_before", number=40))]
)
def test_a_gap_is_said_by_what_is_lost(seq: int, why: Phrase) -> None:
    table = Table(burn="none").play("shoe 9s")
    table.take(table.card("Th", report=inputs.ReportNo(1, seq), gap=True))
    (alarm,) = alarms(table.shoe)
    assert (alarm.id, alarm.values) == ("reader_gap", {"why": why})


def test_an_entered_card_is_reported_again_by_the_reader_and_dealt_once() -> None:
    table = Table(**PLAIN).play("shoe")
    table.take(table.card("9s", report=inputs.ReportNo(1, 0)))
    table.play(LOST, "!enter Kd", RESUMED)
    table.take(table.card("Kd", report=inputs.ReportNo(1, 1)))
    table.play("Th Kc")
    assert table.dealt() == "P1 9s, B1 Kd, P2 Th, B2 Kc"
    assert table.rounds[-1]["flags"] == ["manual"]


def test_an_entered_card_is_reported_again_in_the_next_shoe() -> None:
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
    assert table.summary == "1 closed player"


def test_a_new_board_session_between_shoes_is_no_matter() -> None:
    table = Table(**PLAIN, new_shoe="auto")
    for session in (1, 2):
        for seq, card in enumerate(["9s", "Kd", "Th"]):
            table.take(table.card(card, report=inputs.ReportNo(session, seq)))
        table.play("cut")
        table.take(table.card("Kc", report=inputs.ReportNo(session, 3)))
    assert table.summary == "1 closed player last, 1 closed player last"
    assert [line.public.seq for line in table.lines if line.public.journal.startswith("2-")] == [1, 2, 3, 4, 5]


def test_lost_reports_wait_for_the_dealer() -> None:
    table = Table(**PLAIN).play("shoe")
    table.take(table.card("9s", report=inputs.ReportNo(1, 0)))
    table.take(table.card("Th", report=inputs.ReportNo(1, 40), gap=True))
    assert table.open == ("reader_gap",)
    assert not lamps(table.shoe).lit.keys() & {"P1", "B1"}
    table.play("!resolve reader_gap void")
    assert (table.summary, table.seen) == ("1 voided", "9s Th")


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


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("session", [1, 2])
def test_another_board_is_said_whatever_its_session(inside: bool, session: int) -> None:
    table = Table(**PLAIN).play(inputs.ReaderBooted(at=0, session=1, serial="A"))
    table.play(*["shoe"] * inside, inputs.ReaderBooted(at=0, session=session, serial="B"))
    why = phrase("other_reader", serial="B", known="A")
    assert [each.values for each in table.shoe.device.irregular] == [{"why": why}] * inside
    assert table.shoe.device.serial == "B"


@pytest.mark.parametrize("serial", ["", "A"])
def test_the_same_board_and_one_that_says_no_serial_are_no_other(serial: str) -> None:
    table = Table(**PLAIN).play(inputs.ReaderBooted(at=0, session=1, serial="A"))
    table.play("shoe", inputs.ReaderBooted(at=0, session=1, serial=serial))
    assert (table.open, table.shoe.device.serial) == ((), "A")
