"""The drawing rules grown into a tree: from the points of the cards to the finished hands."""

from __future__ import annotations

from typing import Final

from firmware_bridge.games.baccarat.bets.conditions import Hand, Hands
from firmware_bridge.games.baccarat.rules import third_cards

Tree = Hands | list["Tree"]
"""The finished hands, or what follows by the points (0..9) of the next card."""


def _grown(player: int, banker: int) -> Tree:
    """What follows on two cards each with these totals."""
    draws = [third_cards(player, banker, 0, 0, fifth) for fifth in range(10)]
    if not any(draws[0]):
        return Hand(player, 2), Hand(banker, 2)
    if not draws[0][0]:
        return [(Hand(player, 2), Hand((banker + third) % 10, 3)) for third in range(10)]
    return [_after_player(Hand((player + third) % 10, 3), banker, draws[third][1]) for third in range(10)]


def _after_player(player: Hand, banker: int, draws: bool) -> Tree:
    """What follows on the player's third card."""
    return [(player, Hand((banker + third) % 10, 3)) for third in range(10)] if draws else (player, Hand(banker, 2))


_TOTALS: Final = [[_grown(player, banker) for banker in range(10)] for player in range(10)]

FOURS: Final[list[list[Tree]]] = [[_TOTALS[player % 10][banker % 10] for banker in range(19)] for player in range(19)]
"""What follows on the first four cards: `FOURS[points of P1 + P2][points of B1 + B2]`.

Nothing is checked: odds go through all deals with it; a shoe's cards are judged by `games.baccarat.script`.
"""
