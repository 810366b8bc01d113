"""Why a fault of the demo never happens in a game: each function says it in words, and nothing where it does."""

from __future__ import annotations

from firmware_bridge.games.game import Game


def comes(_: Game) -> str:
    """A fault of every game."""
    return ""


def burns_none(game: Game) -> str:
    """What goes wrong with a burn."""
    return "" if any(map(game.burns, game.pack)) else "nothing is burned"


def has_new_packs(game: Game) -> str:
    """What happens near the last card."""
    return "a new pack comes before the last card" if game.one_round_packs else ""


def has_copies(game: Game) -> str:
    """A second card of a face is one too many."""
    return "" if max(game.pack.values()) == 1 else "its pack has several of each face"
