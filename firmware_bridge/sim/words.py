"""Cards, points and rhythms of lamps in as few letters as a screen has."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any, Final

from firmware_bridge.games.game import Game

SIGNS: Final = {"s": "♠", "h": "♥", "d": "♦", "c": "♣"}
RHYTHMS: Final = {"steady": "steady", "confirm": "1 Hz", "blocked": "5 Hz", "double": "double flash"}
_SHOWS_SIGNS: Final = (getattr(sys.__stdout__, "encoding", None) or "").lower().startswith("utf")


def face(card: str) -> str:
    """A card with its suit's sign, where the terminal can show it."""
    return f"{card[0]}{SIGNS[card[1]]}" if _SHOWS_SIGNS and card[1] in SIGNS else card


def counted(number: int, what: str) -> str:
    """So many of something: `1 round`, `2 rounds`."""
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def brief(points: str) -> str:
    """The points of a hand in one word, the last: `natural 9` is 9, `soft 17` 17."""
    return "".join(points.split()[-1:])


def headline(told: Mapping[str, Any], width: int = 0) -> str:
    """The outcome of a round, in `width` columns at least, and the points of each hand: `BANKER 3:8`.

    told: as the topic `round` has it.
    """
    points = ":".join(brief(hand["points"]) for hand in told["hands"].values())
    return f"{told['outcome'].upper():<{width}} {points}"


def named(hands: Mapping[str, Any]) -> Mapping[str, Any]:
    """The hands by their first letters, where these differ."""
    letters = {name[0].upper(): hand for name, hand in hands.items()}
    return letters if len(letters) == len(hands) else hands


def remarks(game: Game, told: Mapping[str, Any]) -> tuple[str, ...]:
    """What people say of a round besides its outcome and its hands; `told` as the topic `round` has it."""
    carried = (f"{told['carried']} carried",) if told["carried"] else ()
    last = ("last of this shoe",) if told["last"] else ()
    return (*game.remarks(told), *carried, *last, *told["flags"])
