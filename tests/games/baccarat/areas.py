"""The places that the shapes of a picture take."""

from __future__ import annotations

from typing import NamedTuple

from firmware_bridge.games.baccarat.drawn.shapes import Box, Dot, Label, Line, Ring, Shape, wide
from firmware_bridge.games.baccarat.drawn.sheet import Heading
from firmware_bridge.games.baccarat.drawn.words import Kind

GRIDS: tuple[Kind, ...] = ("bead", "big", "big-eye", "small", "cockroach")
SIZES = ((1920, 1080), (1280, 720), (720, 1280), (1080, 1920), (1024, 768), (3440, 1440), (800, 800), (432, 768))
HEADING = Heading("T07", 123, limits={"player": "100–10000", "tie": "≤ 500"}, points={"player": "9", "banker": "4"})


class Area(NamedTuple):
    """Left, upper, right and lower edge."""

    x1: float
    y1: float
    x2: float
    y2: float

    def holds(self, other: Area) -> bool:
        near = 0.01
        return (
            self.x1 - near <= other.x1
            and self.y1 - near <= other.y1
            and other.x2 <= self.x2 + near
            and other.y2 <= self.y2 + near
        )

    def meets(self, other: Area) -> bool:
        return self.x1 < other.x2 and other.x1 < self.x2 and self.y1 < other.y2 and other.y1 < self.y2


def area(shape: Shape) -> Area:
    """All that a shape may cover; of a text, in the widest of fonts."""
    match shape:
        case Box(x, y, width, height):
            return Area(x, y, x + width, y + height)
        case Line(x1, y1, x2, y2, _, width):
            half = width / 2 if width > 1 else 0
            return Area(min(x1, x2) - half, min(y1, y2) - half, max(x1, x2) + half, max(y1, y2) + half)
        case Ring(x, y, radius, _, width):
            return Area(*(at - radius - width / 2 for at in (x, y)), *(at + radius + width / 2 for at in (x, y)))
        case Dot(x, y, radius):
            return Area(x - radius, y - radius, x + radius, y + radius)
        case Label(x, y, text, size, _, anchor, bold):
            width = wide(text, size, bold)
            left = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
            return Area(left, y - size * 0.9, left + width, y + size * 0.25)
