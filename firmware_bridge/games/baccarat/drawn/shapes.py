"""What a picture of roads is made of, whatever draws it; lengths in units of the picture, y downwards."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple, get_args

Ink = Literal[
    "ground",
    "panel",
    "grid",
    "edge",
    "text",
    "muted",
    "red",
    "blue",
    "green",
    "banker",
    "player",
    "tie",
    "gold",
    "on_gold",
    "white",
]
"""Colours by use. red, blue, green: of lines and signs. banker, player, tie: of what has a white letter on it."""


class Box(NamedTuple):
    """A filled rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    ink: Ink
    radius: float = 0


class Line(NamedTuple):
    """A straight stroke; one wider than a hair has round ends."""

    x1: float
    y1: float
    x2: float
    y2: float
    ink: Ink
    width: float


class Ring(NamedTuple):
    """A hollow circle; `radius` is that of the middle of its line."""

    x: float
    y: float
    radius: float
    ink: Ink
    width: float


class Dot(NamedTuple):
    """A filled circle."""

    x: float
    y: float
    radius: float
    ink: Ink


class Label(NamedTuple):
    """Text whose baseline is at `y`; `size` is the font's."""

    x: float
    y: float
    text: str
    size: float
    ink: Ink
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False


Shape = Box | Line | Ring | Dot | Label


class Sheet(NamedTuple):
    """A whole picture of `width` x `height` pixels; `inks` maps the names of colours to #rrggbb.

    scale: pixels in a unit of the shapes.
    """

    width: int
    height: int
    scale: float
    shapes: tuple[Shape, ...]
    inks: dict[Ink, str]
    language: str
    title: str


def _inks(*colours: str) -> dict[Ink, str]:
    return dict(zip(get_args(Ink), " ".join(colours).split(), strict=True))


THEMES: Final[dict[str, dict[Ink, str]]] = {
    "dark": _inks(
        "#0b1016 #151c25 #263140 #3a485a #eef3f8 #a3b0c0",
        "#ff5257 #4aa3ff #2fcf78 #d63a43 #2a6fdb #18864a #f5b942 #17202b #ffffff",
    ),
    "light": _inks(
        "#e9edf2 #ffffff #dbe1e9 #aab4c1 #17202b #4d5a6e",
        "#d3202f #1559c7 #0a7a3c #d3202f #1559c7 #0a7a3c #8f6000 #ffffff #ffffff",
    ),
}
"""Text has at least 4.5:1 to its ground, a mark 3:1 to what lies next to it."""
