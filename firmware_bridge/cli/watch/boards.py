"""What only a game publishes, drawn in a terminal: the roads of baccarat."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec
from rich.text import Text

from firmware_bridge.cli.roads.paint import SHAPES, Paint
from firmware_bridge.cli.roads.terminal import NARROWEST, screen
from firmware_bridge.games.baccarat.drawn.words import Kind
from firmware_bridge.games.baccarat.roads import Board
from firmware_bridge.games.game import Game
from firmware_bridge.screen.felt import abreast, padded_to
from firmware_bridge.screen.sight import Boards

BEADS: Final = 42
GAP: Final = 3

Drawn = Sequence[Sequence[Text]]


def of(game: Game, states: Mapping[str, Any]) -> Boards:
    """The boards of a game's own topics, as far as they are drawn here and came by now."""

    def boards(width: int) -> Drawn:
        named = [topic.name for topic in game.topics if topic.name in DRAWN and states.get(topic.name)]
        return [block for name in named for block in DRAWN[name](states[name], width)]

    return boards


def _roads(body: Mapping[str, Any], width: int) -> Drawn:
    """Bead plate and big road, side by side where both have room; then the derived roads where all three have."""
    board = msgspec.convert(body, Board)
    bands: list[dict[Kind, int]] = [{"big": width}, {"bead": width}]
    if width >= BEADS + GAP + NARROWEST:
        bands = [{"bead": BEADS, "big": width - GAP - BEADS}]
    if width >= 3 * NARROWEST + 2 * GAP:
        third = (width - 2 * GAP) // 3
        bands.append({"big-eye": third, "small": third, "cockroach": third})
    return [abreast([_road(board, kind, wide) for kind, wide in band.items()], width) for band in bands]


def _road(board: Board, kind: Kind, width: int) -> list[Text]:
    lines = screen(board, "en", kind, Paint(True, SHAPES["utf"], width)).split("\n")
    return [padded_to(Text.from_ansi(line), width) for line in lines]


DRAWN: Final[Mapping[str, Callable[[Mapping[str, Any], int], Drawn]]] = {"roads": _roads}
"""A game's own topic -> its boards for so many columns, the most wanted first."""
