"""The purses of er ba gang hold for a game: no void loses them, and none begins a game without them."""

from __future__ import annotations

from typing import Final

import pytest

from firmware_bridge.facts import orders
from firmware_bridge.games.erbagang.script import so_far
from firmware_bridge.games.house import usual
from firmware_bridge.shoe.round import start
from tests.kit.table import BACK, LOST, RESTART, Step, Table

PURSES: Final = "money=1:900,2:900,3:900,4:900"
GRABS: Final = "1:grab=1 2:grab=0 3:grab=0 4:grab=0 2:bet=1 3:bet=1 4:bet=1"
ROUND: Final = f"{GRABS} 1p 2p 3p 4p 5p 6p 7p 8p next"


def table(*steps: Step) -> Table:
    return Table(**{"game": "erbagang", **usual("erbagang")}).play("shoe", *steps)


def purses(at: Table) -> dict[str, str] | None:
    known = so_far(start(at.shoe)).purses
    return {seat: str(purse) for seat, purse in known.items()} if known else None


@pytest.mark.parametrize("refused", ["", "money=1:9,2:0.5,3:9,4:9"])
@pytest.mark.parametrize("voids", [1, 2])
def test_a_void_while_purses_are_awaited_awaits_them(refused: str, voids: int) -> None:
    at = table(refused, *["5p !void x"] * voids)
    assert (at.phase, at.open, len(at.rounds)) == ("betting", (), voids)
    at.play("1:grab=1")
    assert (at.answer.error, at.answer.hint) == ("no_mark_due", "close the bets first: bets_closed")
    at.play(PURSES, ROUND)
    assert at.rounds[-1]["money"]
    assert (at.rounds[-1]["status"], at.phase) == ("closed", "ready")


@pytest.mark.parametrize("restart", [(), (RESTART,)])
def test_a_reader_that_comes_back_while_purses_are_awaited_keeps_them_awaited(restart: tuple[Step, ...]) -> None:
    at = table(LOST, BACK, *restart)
    at.take(at.order(orders.Resolve("reader_back", "void")))
    assert (at.answer.ok, at.phase, at.summary) == (True, "betting", "1 voided")
    assert at.play(PURSES, GRABS).phase == "dealing"


@pytest.mark.parametrize("steps", ["1p !void x", "1:grab=1 !void x", f"{GRABS} 1p 2p !void x"])
def test_a_void_after_the_purses_keeps_them(steps: str) -> None:
    at = table(PURSES, steps)
    assert (at.phase, at.summary, purses(at)) == ("ready", "1 voided", dict.fromkeys("1234", "900"))


def test_a_void_in_a_later_round_keeps_what_the_rounds_left() -> None:
    at = table(PURSES, ROUND)
    left = purses(at)
    assert left
    assert left != dict.fromkeys("1234", "900")
    for steps in ("1:grab=1 !void x", "9p !void x", "bets-open 9p !void x"):
        assert purses(at.play(steps)) == left
    assert at.phase == "betting"  # the floor opened the bets before the last void
    assert purses(at.play("bets-closed")) == left
    assert at.phase == "ready"


def test_purses_that_begin_no_game_leave_nothing() -> None:
    at = table("money=1:9,2:0.5,3:9,4:9")
    assert (at.answer.error, at.phase, at.shoe.money, purses(at)) == ("no_round", "betting", {}, None)


def test_reopened_bets_take_the_purses_back() -> None:
    at = table(PURSES, "bets-open")
    assert (at.phase, at.shoe.money) == ("betting", {})
    assert at.play("5p !void x").phase == "betting"
