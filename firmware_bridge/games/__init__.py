"""The games a shoe can deal: a package each, and a line here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games import baccarat
from firmware_bridge.games.baccarat import rules
from firmware_bridge.games.game import Game
from firmware_bridge.games.layout import Layout, Result

GAMES: Final[dict[str, Game]] = {
    baccarat.GAME.name: baccarat.GAME,
}

LAYOUTS: Final[dict[str, Callable[[tuple[Card, ...], str], Layout]]] = {"baccarat": rules.layout}

PACKS: Final[dict[str, frozenset[Card]]] = {"baccarat": frozenset(FACES)}
"""The faces that belong to the packs of a game."""


def whole_round(game: str, cards: tuple[Card, ...]) -> Layout | None:
    """The layout of exactly one whole round, cards in the order dealt on demand; None for too few or too many."""
    try:
        layout = LAYOUTS[game](cards, "on-demand")
    except ValueError:
        return None
    return layout if layout.due is None else None


__all__ = ["GAMES", "LAYOUTS", "PACKS", "Game", "Layout", "Result", "whole_round"]
