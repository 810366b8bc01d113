"""A table of blackjack after some words of a deal script, and what its lamps wait for."""

from __future__ import annotations

from typing import Any

from firmware_bridge.games.house import usual
from firmware_bridge.topics.lamps import lamps
from tests.kit.table import Table

TWO = "bets=1:100,3:12.5"


def table(text: str = "", **settings: Any) -> Table:
    """A table of blackjack after some words of a deal script."""
    return Table(**{"game": "blackjack", **usual("blackjack"), **settings}).play(f"shoe {text}")


def why(now: Table) -> str:
    return lamps(now.shoe).why[-1]
