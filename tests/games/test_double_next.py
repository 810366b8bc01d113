"""A NEXT pressed twice closes a round and opens no pack: the cards of the old one still lie on the table."""

from __future__ import annotations

from typing import Any

import pytest

from firmware_bridge.demo.memory_table import Replay
from firmware_bridge.demo.script import parse
from firmware_bridge.facts import events as e
from firmware_bridge.facts import inputs, orders
from firmware_bridge.games.house import usual
from firmware_bridge.shoe.handlers.rounds import SAME_PRESS_MS
from tests.games.test_complete import ROUND
from tests.kit.table import RESTART, Table

PACKS = ["niuniu", "zhajinhua"]
KEY = inputs.Pressed(at=0, key="next", nonce="1" * 32)
ORDER = inputs.Ordered(at=0, order=orders.Next(), by="backend", nonce="2" * 32)
WHY = "NEXT has just closed the round"


def closed(game: str, first: inputs.AnyInput = KEY, **house: Any) -> Table:
    table = Table(**{"game": game, **usual(game), "close": "next", **house})
    table.play("next" if house.get("confirm_shuffle") else "shoe", ROUND[game], first)
    assert (table.phase, shoes(table)) == ("ended", 1)
    return table


def shoes(table: Table) -> int:
    return sum(isinstance(event, e.ShoeOpened) for event in table.events)


def press(table: Table, ms: int, fact: inputs.AnyInput = KEY) -> bool:
    """Whether a NEXT `ms` after the last input opens a pack."""
    before = shoes(table)
    table.at += ms - 1
    table.take(fact)
    return shoes(table) > before


@pytest.mark.parametrize("game", PACKS)
@pytest.mark.parametrize("confirm", [False, True])
@pytest.mark.parametrize("fact", [KEY, ORDER], ids=["key", "order"])
@pytest.mark.parametrize("first", [KEY, ORDER], ids=["by key", "by order"])
def test_a_second_press_opens_nothing_until_the_time_is_over(
    game: str, confirm: bool, fact: inputs.AnyInput, first: inputs.AnyInput
) -> None:
    table = closed(game, first, confirm_shuffle=confirm)
    assert not press(table, 1, fact)
    assert not press(table, SAME_PRESS_MS - 2, fact)
    assert press(table, 1, fact)


def test_it_is_refused_with_the_reason() -> None:
    table = closed("niuniu", confirm_shuffle=True)
    table.take(KEY)
    assert table.events[-1] == e.KeyRefused(key="next", code="same_press", values={"seconds": SAME_PRESS_MS // 1000})
    table.take(ORDER)
    assert (table.answer.error, table.answer.hint) == (
        WHY,
        "press NEXT 2 seconds later, when the next pack is in the shoe",
    )


def test_presses_do_not_lengthen_it() -> None:
    table = closed("niuniu")
    assert [press(table, 500) for _ in range(4)] == [False, False, False, True]


@pytest.mark.parametrize("game", PACKS)
def test_a_bid_or_the_purses_open_the_next_pack_at_once(game: str) -> None:
    table = closed(game).play({"niuniu": "1:grab=1", "zhajinhua": "money=1:50,2:50,3:50"}[game])
    assert (table.answer.ok, shoes(table)) == (True, 2)


@pytest.mark.parametrize("boot", [False, True], ids=["daemon", "device"])
def test_it_outlives_a_restart_and_not_a_boot(boot: bool) -> None:
    table = closed("niuniu")
    table.at = 0 if boot else table.at
    table.take(RESTART)
    assert press(table, 1) == boot


def test_a_round_that_ends_by_itself_or_is_voided_has_none() -> None:
    auto = Table(**{"game": "niuniu", **usual("niuniu"), "close": "auto"}).play(f"shoe {ROUND['niuniu']}")
    assert (auto.phase, press(auto, 1)) == ("ended", True)
    void = Table(**{"game": "niuniu", **usual("niuniu"), "close": "next"}).play(f"shoe {ROUND['niuniu']} !void x")
    assert (void.phase, press(void, 1)) == ("ended", True)


def test_the_next_pack_begins_without_it() -> None:
    table = closed("niuniu")
    assert press(table, SAME_PRESS_MS)
    assert table.shoe.ended_by_next is None


@pytest.mark.parametrize("word", ["next", "!next"])
def test_in_a_deal_script_each_next_is_a_press_of_its_own(word: str) -> None:
    table = closed("niuniu", confirm_shuffle=True)
    warned: list[str] = []
    replay = Replay(table.house, "T07", warned.append, close="next")
    lines = list(replay.play(parse(f"shoe {ROUND['niuniu']} {word} {word}")))
    opened = [event for line in lines if line.entry for event in line.entry.events if isinstance(event, e.ShoeOpened)]
    assert ([each.number for each in opened], warned) == ([1, 2], [])
    assert replay.at == SAME_PRESS_MS
