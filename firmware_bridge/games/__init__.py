"""The games a shoe can deal: each is one pure function from the moves of a round to its layout."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games.baccarat import rules
from firmware_bridge.games.layout import Layout, Result

Game = Callable[[tuple[Card, ...], str], Layout]
"""`game(cards of the round, dealing procedure) -> Layout`."""

GAMES: Final[dict[str, Game]] = {"baccarat": rules.layout}

PACKS: Final[dict[str, frozenset[Card]]] = {"baccarat": frozenset(FACES)}
"""The faces that belong to the packs of a game."""


def whole_round(game: str, cards: tuple[Card, ...]) -> Layout | None:
    """The layout of exactly one whole round, cards in the order dealt on demand; None for too few or too many."""
    try:
        layout = GAMES[game](cards, "on-demand")
    except ValueError:
        return None
    return layout if layout.due is None else None


__all__ = ["GAMES", "PACKS", "Game", "Layout", "Result", "whole_round"]
