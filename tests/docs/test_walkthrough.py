"""The rounds of docs/walkthrough.md end as the same rounds do when nobody errs."""

from __future__ import annotations

import pytest

from firmware_bridge.demo.round_player import PlayedTable
from firmware_bridge.facts import orders
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import house_of
from scripts.tools.documents.walkthrough import EYES, ROUNDS, line_of, settings, walked

SAME = ("outcome", "bets", "hands", "status")


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("game", ROUNDS)
def test_a_dealer_who_sees_this_alone_plays_the_round(game: str, eyes: str) -> None:
    line = line_of(game)
    rows, table = walked(game, eyes)
    straight = PlayedTable(house_of(**settings(game, line["settings"]) | {"close": "auto"}), False)
    stakes = orders.BetsClosed(bets=line.get("bets", {}), money=line.get("money", {}))
    straight.begin(orders.Pack(left=line.get("left")), stakes if GAMES[game].money.stakes else None)
    for word in line["moves"]:
        if not straight.is_over:
            straight.move(word)
    assert {name: table.rounds[0][name] for name in SAME} == {name: straight.rounds[0][name] for name in SAME}
    assert sum(row.done.startswith("**") for row in rows) == 3
