"""A round says who dealt it: the dealer, the pit, the shift and the gaming day; a correction and a void say it too."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from firmware_bridge.facts import orders
from firmware_bridge.shoe import decide
from firmware_bridge.shoe.shifts import next_shift
from tests.kit.rows import each_row
from tests.kit.table import RESTART, Table, faces

NATURAL = "9s Kd Th Kc"
SHIFTS = {"day": "08:00", "evening": "16:00", "night": "00:00"}
HOUSE: dict[str, Any] = {"burn": "none", "pit": "Pit 3", "shifts": SHIFTS}
KEYS = ("dealt_by", "pit", "shift", "gaming_day")

MONDAY = 1_795_392_000_000
"""2026-11-23 00:00 UTC, in ms since 1970."""


def who(table: Table, number: int = -1) -> tuple[str, ...]:
    return tuple(table.rounds[number][key] for key in KEYS)


def sign_in(table: Table, name: str) -> Table:
    table.take(table.order(orders.DealerIn(name)))
    return table


def at(table: Table, hours: float, utc_offset: int = 0) -> Table:
    """The next inputs come so many hours after Monday began by local time."""
    table.at = MONDAY + int(hours * 3_600_000) - utc_offset * 60_000
    return table


@each_row(
    ("hours", "shift", "day"),
    [
        (7.99, "night", "2026-11-22"),
        (8, "day", "2026-11-23"),
        (15.99, "day", "2026-11-23"),
        (16, "evening", "2026-11-23"),
        (23.99, "evening", "2026-11-23"),
        (24, "night", "2026-11-23"),
        (31.99, "night", "2026-11-23"),
        (32, "day", "2026-11-24"),
    ],
)
@each_row("utc_offset", [0, 480, -300, 330])
def test_the_first_shift_begins_the_gaming_day(hours: float, shift: str, day: str, utc_offset: int) -> None:
    minute = (MONDAY // 60_000 - utc_offset) + int(hours * 60) + utc_offset
    assert next_shift(SHIFTS, minute) == (shift, day)
    table = at(Table(**HOUSE).play("shoe 9s Kd Th"), hours, utc_offset)
    card = replace(table.card("Kc"), at=table.at, mono=table.at, utc_offset=utc_offset)
    table.carry(card, decide(table.shoe, card))
    assert who(table) == ("", "Pit 3", shift, day)


def test_a_house_without_shifts_has_no_gaming_day() -> None:
    assert who(sign_in(Table(burn="none"), "DORA").play(f"shoe {NATURAL}")) == ("DORA", "", "", "")


def test_one_shift_is_a_whole_day() -> None:
    assert next_shift({"all": "06:30"}, MONDAY // 60_000) == ("all", "2026-11-22")


@each_row(
    ("before", "hours", "shifts", "now"),
    [
        (("day", "2026-11-23"), 7, SHIFTS, ("day", "2026-11-23")),  # the hour that comes twice, or a clock set back
        (("evening", "2026-11-23"), 9, SHIFTS, ("evening", "2026-11-23")),
        (("day", "2026-11-23"), 17, SHIFTS, ("evening", "2026-11-23")),
        (("night", "2026-11-23"), 31, SHIFTS, ("night", "2026-11-23")),
        (("night", "2026-11-23"), 32, SHIFTS, ("day", "2026-11-24")),
        (("day", "2027-01-01"), 9, SHIFTS, ("day", "2027-01-01")),
        (("day", "2026-11-23"), 9, {"late": "18:00", "day": "10:00"}, ("day", "2026-11-23")),
        (("day", "2026-11-23"), 9, {"first": "10:00", "second": "18:00"}, ("first", "2026-11-23")),
        (("day", "2026-11-23"), 11, {"first": "10:00", "second": "18:00"}, ("first", "2026-11-23")),
        (("day", "2026-11-23"), 19, {"first": "10:00", "second": "18:00"}, ("second", "2026-11-23")),
        (("day", "2026-11-23"), 9, {}, ("", "")),
    ],
)
def test_neither_shift_nor_gaming_day_go_back(
    before: tuple[str, str], hours: int, shifts: dict[str, str], now: tuple[str, str]
) -> None:
    assert next_shift(shifts, MONDAY // 60_000 + hours * 60, before) == now


@pytest.mark.parametrize("between", ["", "!close_shoe shoe", "2s !void misdeal"])
def test_a_later_round_is_never_of_an_earlier_day(between: str) -> None:
    """By a clock that is set back, and by shifts that begin later since the table started again."""
    table = at(Table(**HOUSE).play("shoe"), 9).play(NATURAL)
    at(table, 7).play(between, NATURAL)
    table.house = replace(table.house, shifts={"early": "12:00", "late": "20:00"})
    at(table, 9).play(RESTART, "!close_shoe shoe", NATURAL)
    at(table, 13).play(NATURAL)
    at(table, 36).play(NATURAL)
    by_round = [(each["shift"], each["gaming_day"]) for each in table.rounds]
    monday, changed = ("day", "2026-11-23"), ("early", "2026-11-23")
    assert by_round[-5:] == [monday, monday, changed, changed, ("early", "2026-11-24")]


@pytest.mark.parametrize("minute", [-(2**53), 0, 2**53])
def test_no_clock_is_too_wrong(minute: int) -> None:
    assert len(next_shift(SHIFTS, minute)[1]) == 10


def test_a_dealer_signed_in_within_a_round_deals_the_next() -> None:
    table = sign_in(Table(**HOUSE | {"close": "next"}), "DORA").play("shoe 9s Kd")
    sign_in(table, "EMIL").play("Th Kc")
    sign_in(table, "FAY").play(f"next {NATURAL} next")
    assert [who(table, number)[0] for number in (0, 1)] == ["DORA", "FAY"]


def test_who_signs_in_late_dealt_a_round_that_nobody_else_did() -> None:
    assert who(sign_in(Table(**HOUSE).play("shoe 9s Kd"), "DORA").play("Th Kc"))[0] == "DORA"


def test_a_void_says_who_dealt() -> None:
    table = at(sign_in(Table(**HOUSE), "DORA").play("shoe 9s"), 9)
    sign_in(table, "EMIL").play("!void misdeal")
    assert who(table) == ("DORA", "Pit 3", "day", "2026-11-23")
    assert who(sign_in(at(Table(**HOUSE), 9), "EMIL").play("shoe ?? !void unread"))[0] == "EMIL"


def test_a_correction_says_who_dealt_not_who_is_there_now() -> None:
    table = at(sign_in(Table(**HOUSE), "DORA").play("shoe"), 9).play(NATURAL)
    sign_in(at(table, 17), "EMIL").play("2s")
    for cards in ("8s Kd Th Kc", NATURAL):
        table.take(table.order(orders.Correct(1, faces(cards), "camera")))
        assert who(table) == ("DORA", "Pit 3", "day", "2026-11-23")


def test_the_pit_and_the_shifts_are_those_the_shoe_was_opened_under() -> None:
    table = at(Table(**HOUSE).play("shoe"), 9)
    table.house = replace(table.house, pit="Pit 9", shifts={"only": "00:00"})
    table.play(RESTART, NATURAL)
    assert who(table) == ("", "Pit 3", "day", "2026-11-23")
    table.play("!close_shoe shoe", NATURAL)
    assert who(table)[1:3] == ("Pit 9", "only")


@pytest.mark.parametrize("order", [orders.Void("misdeal"), orders.Next()])
def test_what_is_decided_depends_on_the_input_alone(order: orders.Order) -> None:
    """Not on the zone of the machine that reads the journal."""
    table = Table(**HOUSE | {"close": "next"}).play(f"shoe {NATURAL}")
    given = replace(table.order(order), at=MONDAY, mono=1, utc_offset=480)
    assert decide(table.shoe, given) == decide(table.shoe, given)
    table.carry(given, decide(table.shoe, given))
    assert who(table)[2:] == ("day", "2026-11-23")


def test_blackjacks_dealer_stays_the_hand() -> None:
    table = Table(game="blackjack", betting="required", **HOUSE)
    sign_in(table, "DORA").play("shoe bets=1:100 8h Ts 8d 9s S")
    assert (table.rounds[-1]["dealer"]["cards"], who(table)[0]) == (["Ts", "9s"], "DORA")
