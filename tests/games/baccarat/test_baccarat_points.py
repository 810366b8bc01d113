"""What both sides of a round of baccarat count before it is over, from open cards alone."""

from __future__ import annotations

import pytest

from firmware_bridge.facts.cards import Card
from firmware_bridge.games.baccarat import GAME
from firmware_bridge.games.baccarat.script import Baccarat
from firmware_bridge.games.game import Layout, Placed, Start
from firmware_bridge.games.machine import layout
from firmware_bridge.games.moves import Dealt


@pytest.mark.parametrize(
    ("laid", "procedure", "shown"),
    [
        ("", "on-demand", {}),
        ("P1 9d", "on-demand", {"player": "9"}),
        ("P1 9d B1 9s P2 5d B2 Kd P3 8h", "on-demand", {"player": "2", "banker": "9"}),
        ("P1 ?? B1 9s", "six-card", {}),
        # R1 is the player's third, R2 the banker's or nobody's.
        ("P1 2d B1 3s P2 2c B2 Kd R1 5h R2 ??", "six-card", {"player": "9", "banker": "3"}),
        ("P1 2d B1 2s P2 2c B2 Kd R1 5h R2 4c", "six-card", {"player": "9", "banker": "6"}),
        # The player stands: R1 is the banker's.
        ("P1 7d B1 2s P2 Tc B2 Kd R1 5h R2 ??", "six-card", {"player": "7", "banker": "7"}),
    ],
)
def test_totals_of_open_cards(laid: str, procedure: str, shown: dict[str, str]) -> None:
    words = laid.split()
    cards = [None if card == "??" else Card(card) for card in words[1::2]]
    if procedure == "six-card":
        table = layout(GAME, [Dealt(card) for card in cards], Baccarat(procedure="six-card"), Start())
    else:  # no round goes on after a natural, but the sum is a sum
        table = Layout(tuple(Placed(slot, slot, card) for slot, card in zip(words[::2], cards, strict=True)))
    assert [each.slot for each in table.placed] == words[::2]
    assert GAME.demo.points(table) == shown
