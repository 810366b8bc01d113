"""The shapes of a picture of roads, in units, y downwards, and the greatest width of a text."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple, get_args
from unicodedata import east_asian_width

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
"""Colours by use. red, blue, green: of lines and signs. banker, player, tie: under a white letter."""

BOLD: Final = (
    ("ijlI.,:;'|!/()[]-‹› ", 0.46),
    ("ftrJ", 0.5),
    ("mwMW%@", 1.11),
    ("ABCDEFGHKLNOPQRSTUVXYZ", 0.86),
    ("#&+<=>^~≤_", 0.92),
)
"""Widths of letters in ems: not less than in DejaVu Sans Bold, the widest of the fonts that pictures name."""

OTHERS: Final = 0.72
"""Any other letter or digit."""

REGULAR: Final = 0.92
"""A letter that is not bold, in widths of the same letter in bold."""


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
    """Text with its baseline at `y`; `size` is the font's."""

    x: float
    y: float
    text: str
    size: float
    ink: Ink
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False


Shape = Box | Line | Ring | Dot | Label


class Sheet(NamedTuple):
    """A picture of `width` x `height` pixels, `scale` of them in a unit; `inks`: name of a colour -> #rrggbb."""

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
"""Contrast: at least 4.5:1 of text to its ground, 3:1 of a mark to its neighbours."""


def wide(text: str, size: float, bold: bool = False) -> float:
    """Return the most a text can take in a font of this size; Chinese signs take a square each."""
    return sum(map(_letter, text)) * size * (1 if bold else REGULAR)


def fitted(text: str, size: float, room: float, bold: bool = False) -> float:
    """Return the size of font, `size` or less, with which a text is no wider than `room`."""
    return min(size, size * room / (wide(text, size, bold) or 1))


def folded(text: str, size: float, room: float, bold: bool = False) -> list[str]:
    """Return the text in as few lines as `room` allows, about equally long; a single word may be wider."""
    words = text.split(" ")
    lines = _filled(words, size, room, bold)
    narrowest = max(wide(word, size, bold) for word in words)
    while room > narrowest and len(evener := _filled(words, size, room * 0.95, bold)) == len(lines):
        lines, room = evener, room * 0.95
    return lines


def _filled(words: Sequence[str], size: float, room: float, bold: bool) -> list[str]:
    """Return the words in lines, as many in each as have room."""
    lines: list[str] = []
    for word in words:
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and wide(longer, size, bold) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _letter(letter: str) -> float:
    if east_asian_width(letter) in "WF":
        return 1 / REGULAR
    return next((width for letters, width in BOLD if letter in letters), OTHERS)
