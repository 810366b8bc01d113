"""A reader that a technician has: for the table it is lost, and no test card is a card of the shoe."""

from __future__ import annotations

from firmware_bridge.facts import events, inputs
from firmware_bridge.facts.inputs import ReportNo
from tests.kit.table import BACK, Table

LENT = inputs.ReaderBorrowed(at=0, by="Ann")


def passed(count: int, seq: int, lent: bool = True) -> inputs.TestCardsPassed:
    return inputs.TestCardsPassed(at=0, count=count, by="Ann", taken=ReportNo(1, seq), lent=lent)


def test_it_is_lost_while_it_is_lent() -> None:
    table = Table(burn="none").play("shoe", LENT)
    assert (table.open, table.about("reader_lost")) == (("reader_lost",), "lent to: Ann")
    assert table.shoe.device.lent == "Ann"
    assert table.play(BACK).shoe.device.lent == ""


def test_test_cards_are_taken_and_on_record() -> None:
    table = Table(burn="none").play("shoe", LENT)
    taken = table.take(passed(3, 7))
    noted = events.Noted(code="test_cards_lent", values={"count": 3, "to": "Ann"})
    assert taken == (events.ReaderSession(session=1), noted)
    assert table.shoe.device.reader == ReportNo(1, 7)
    table.play(BACK, "next")
    assert table.take(table.card("9s", report=ReportNo(1, 7))) == ()
    assert table.play(table.card("9s", report=ReportNo(1, 8))).seen == "9s"


def test_what_passed_while_no_daemon_ran_loses_the_reader_to_nobody() -> None:
    table = Table(burn="none").play(passed(2, 1, lent=False))
    assert table.about("reader_lost") == "test cards: 2 · by: Ann"
    assert table.shoe.device.lent == ""
