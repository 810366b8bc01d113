"""A code that the reader reports again: the same card, or another one of its face, as dealer or pit say."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs
from firmware_bridge.facts.cards import Serial
from firmware_bridge.shoe.handlers.read_again import STEADY
from firmware_bridge.shoe.round import layout
from firmware_bridge.shoe.state import cards_left
from firmware_bridge.topics.state import alarms
from tests.kit.rows import each_row
from tests.kit.table import LOST, RESTART, Step, Table

KEEP = "!resolve read_again keep"


def again(table: Table, card: str, **more: Any) -> Table:
    table.take(table.card(card, again=True, **more))
    return table


def table_after(*cards: str, **house: Any) -> Table:
    """A table at which these cards were read; a card with a plus was read again."""
    table = Table(**{"burn": "none", "decks": 8} | house).play("shoe")
    return tell(table, *cards)


def lies(table: Table) -> str:
    """The cards of the open round, as slots and faces."""
    placed = zip(layout(table.shoe).placed, table.shoe.laid, strict=True)
    return ", ".join(f"{each.slot} {laid.card.value if laid.card else '??'}" for each, laid in placed)


def tell(table: Table, *cards: str) -> Table:
    for card in cards:
        if card.endswith("+"):
            again(table, card.removesuffix("+"))
        else:
            table.play(card)
    return table


ROWS: list[tuple[str, str, tuple[Step, ...], str]] = [
    ("it waits", "9s 9s+", (), "P1 9s"),
    ("the same card, by NEXT", "9s 9s+", ("next",), "P1 9s"),
    ("the same card, however often it was read again", "9s 9s+ 9s+ 9s+", ("next",), "P1 9s"),
    ("a second one, by the pit", "9s 9s+", (KEEP,), "P1 9s, B1 9s"),
    ("a second one, and that one again", "9s 9s+ 9s+", (KEEP, "next"), "P1 9s, B1 9s"),
    ("three equal cards", "9s 9s+ 9s+", (KEEP, KEEP), "P1 9s, B1 9s, P2 9s"),
    ("the cards behind it wait", "9s 9s+ Td", (), "P1 9s"),
    ("and follow in their order", "9s 9s+ Td", ("next",), "P1 9s, B1 Td"),
    ("behind a second one too", "9s 9s+ Td", (KEEP,), "P1 9s, B1 9s, P2 Td"),
    ("two cards read again: one press each", "9s 9s+ Td Td+", ("next", "next"), "P1 9s, B1 Td"),
    ("the second of two waits for its own", "9s 9s+ Td Td+", ("next",), "P1 9s, B1 Td"),
    ("after a restart it still waits", "9s 9s+", (RESTART, "next"), "P1 9s"),
]


@each_row(("cards", "people", "dealt"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_becomes_of_a_code_that_was_read_again(cards: str, people: tuple[Step, ...], dealt: str) -> None:
    assert lies(table_after(*cards.split()).play(*people)) == dealt


def test_it_is_not_counted_until_the_table_has_said_what_it_is() -> None:
    table = table_after("9s", "9s+")
    assert (table.open, cards_left(table.shoe), table.seen) == (("read_again",), 415, "9s")
    table.play("next")
    assert (table.open, cards_left(table.shoe), table.seen) == ((), 415, "9s")
    tell(table, "9s+").play("Kd", "9s")
    assert (table.open, cards_left(table.shoe)) == ((), 413)


def test_a_card_wants_one_press_however_long_it_lies_there() -> None:
    table = table_after("9s", "9s+").play("next")
    before = len(table.events)
    tell(table, *["9s+"] * 100)
    assert (len(table.events), table.open) == (before, ())


def test_no_more_wait_than_the_packs_hold() -> None:
    table = table_after("9s", *["9s+"] * 100)
    assert len(table.shoe.held) == 7
    assert table.play("next").shoe.held == ()


def test_next_does_nothing_else() -> None:
    table = table_after("9s", "Kd", "Th", "Kc", "Kc+", close="next")
    assert (table.phase, table.open) == ("complete", ("read_again",))
    assert (table.play("next").phase, table.rounds) == ("complete", [])
    assert table.play("next").rounds[0]["outcome"] == "player"


def test_the_last_card_of_a_round_read_again_opens_no_round() -> None:
    table = table_after("9s", "Kd", "Th", "Kc", "Kc+")
    assert (len(table.rounds), table.open) == (1, ("read_again",))
    assert lies(table.play("next", "2s")) == "P1 2s"


def test_no_name_of_a_card_is_in_the_alarm() -> None:
    (alarm,) = alarms(table_after("9s", "9s+").shoe)
    assert (alarm.id, alarm.values) == ("read_again", {"behind": 1})


@pytest.mark.parametrize("house", [{"decks": 1}, {"game": "niuniu", "decks": 1}])
def test_where_no_two_cards_have_one_face_it_is_the_same_card(house: dict[str, Any]) -> None:
    table = table_after(**house)
    tell(table, "9s", "9s+")
    assert "read_again" not in table.open
    assert not any(isinstance(each, e.CardHeld) and each.again for each in table.events)


def test_a_card_with_a_serial_is_the_same_card() -> None:
    table = table_after()
    table.take(table.card("9s", serial=Serial("a")))
    again(table, "9s", serial=Serial("a"))
    assert (table.open, table.seen) == ((), "9s")


def test_a_numbered_report_of_the_same_card_is_on_record_so_that_it_is_acknowledged() -> None:
    table = table_after()
    table.take(table.card("9s", report=inputs.ReportNo(1, 0)))
    again(table, "9s", report=inputs.ReportNo(1, 1)).play("next")
    again(table, "9s", report=inputs.ReportNo(1, 2))
    assert isinstance(table.events[-1], e.Noted)
    assert (table.shoe.device.reader, table.seen) == (inputs.ReportNo(1, 2), "9s")


def test_the_last_card_of_a_shoe_opens_no_other_one() -> None:
    table = Table(burn="none", new_shoe="auto").play("shoe 9s Kd Th Kc !close_shoe")
    number = table.shoe.number
    again(table, "Kc")
    assert (table.shoe.number, table.shoe.status) == (number, "ended")


def test_a_void_discards_it_uncounted() -> None:
    table = table_after("9s", "9s+").play("!void misdeal")
    assert (cards_left(table.shoe), table.shoe.held, table.open) == (415, (), ())


def test_in_the_burn_and_while_bets_are_open_it_is_asked_for_first() -> None:
    table = table_after("9s", "9s+", burn=2)
    assert (table.open, table.shoe.burn_left) == (("read_again",), 1)
    assert table.play(KEEP).shoe.burn_left == 0
    table = table_after(betting="required")
    tell(table, "9s", "9s+").play("bets-closed")
    assert (lies(table), table.open) == ("P1 9s", ("read_again",))
    assert lies(table.play("next", "Kd")) == "P1 9s, B1 Kd"


def test_behind_another_alarm_it_is_asked_for_when_that_one_is_settled() -> None:
    table = table_after("9s", "9s+").play(LOST)
    assert not table.play("next").shoe.repeated
    table = table_after("9s").play("wp", "Kd")
    again(table, "Kd").play("!resolve foreign remove")
    assert (lies(table), table.open) == ("P1 9s, B1 Kd", ("read_again",))


def test_a_foreign_card_read_again_wants_one_press_too() -> None:
    table = table_after("9s")
    table.take(inputs.CardUnread(at=0, reason="unknown code", nonce="a" * 32))
    for _ in range(3):
        table.take(inputs.CardUnread(at=0, reason="unknown code", nonce="b" * 32, again=True))
    assert (table.open, len(table.shoe.held)) == (("foreign",), 2)
    assert table.play("!resolve foreign remove").open == ("read_again",)
    assert lies(table.play("next", "Kd")) == "P1 9s, B1 Kd"


FACES = [f"{rank}{suit}" for suit in "shdc" for rank in "A23456789TJQK"]


OTHERS = [face for n in range(13) for face in FACES[n * 5 % 13 :: 13]]
"""The same ones, in another order."""


def repeating(cards: int) -> Table:
    table = table_after()
    for face in FACES[:cards]:
        tell(table, face, f"{face}+").play("next")
    return table


def test_more_than_three_cards_read_again_are_an_alarm_raised_once() -> None:
    assert repeating(3).open == ()
    assert repeating(4).open == ("reader_repeats",)
    table = repeating(20)
    assert [each.id for each in table.events if isinstance(each, e.Irregular)].count("reader_repeats") == 1
    assert "reader_repeats" not in table.rounds[-1]["flags"]


def test_the_alarm_closes_after_fifty_cards_without_one_in_the_next_shoe_too() -> None:
    table = repeating(4)
    tell(table, *FACES[4:14]).play("!void misdeal !close_shoe shoe")
    tell(table, *OTHERS[: STEADY - 11])
    assert table.open == ("reader_repeats",)
    tell(table, OTHERS[STEADY - 11])
    assert table.open == ()


def test_second_cards_that_the_pit_names_are_no_repeats() -> None:
    table = table_after()
    for face in FACES[:6]:
        tell(table, face, f"{face}+").play(KEEP)
    assert (table.open, table.shoe.repeated) == ((), 0)
