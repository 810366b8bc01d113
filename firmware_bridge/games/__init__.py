"""The games a shoe can deal: each is one pure function from the moves of a round to its layout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from firmware_bridge.cards import Card
from firmware_bridge.games import baccarat
from firmware_bridge.games.layout import Layout, Result

Game = Callable[[tuple[Card, ...], str], Layout]
"""`game(cards of the round, dealing procedure) -> Layout`."""

GAMES: Final[dict[str, Game]] = {"baccarat": baccarat.layout}

__all__ = ["GAMES", "Game", "Layout", "Result"]
