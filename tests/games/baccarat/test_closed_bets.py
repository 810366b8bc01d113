"""Bets that are closed for the next round, as each moment tells them."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from firmware_bridge.facts.cards import FACES
from firmware_bridge.games.baccarat.bets import closed
from firmware_bridge.topics.state import snapshots
from tests.kit.table import Table

VIP: dict[str, Any] = {"burn": "none", "mode": "vip"}
BETS: dict[str, Any] = VIP | {"betting": "required"}


SHUFFLED = [card.value for card in FACES * 8]
Random(3).shuffle(SHUFFLED)


def rounds(table: Table, count: int) -> Table:
    """So many more rounds of a shuffled shoe."""
    end = len(table.rounds) + count
    while len(table.rounds) < end:
        table.play(SHUFFLED[len(table.shoe.seen)])
    return table


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


@pytest.mark.parametrize(
    "house", [{"close": "next"}, {"close": "next", "procedure": "six-card"}, {"betting": "required"}]
)
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
    published: tuple[str, ...] = snapshots(table.shoe)["table"].closed_bets
    return published
