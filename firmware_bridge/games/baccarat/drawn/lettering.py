"""How wide a text is at most, in whatever font it is drawn, and how it is kept inside its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from unicodedata import east_asian_width

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


def wide(text: str, size: float, bold: bool = False) -> float:
    """The most a text can take in a font of this size; Chinese signs take a square each."""
    return sum(map(_letter, text)) * size * (1 if bold else REGULAR)


def fitted(text: str, size: float, room: float, bold: bool = False) -> float:
    """The size of font, `size` or less, with which a text is no wider than `room`."""
    return min(size, size * room / (wide(text, size, bold) or 1))


def folded(text: str, size: float, room: float, bold: bool = False) -> list[str]:
    """The text in as few lines as `room` allows, about equally long; broken between words, so one may be wider."""
    words = text.split(" ")
    lines = _filled(words, size, room, bold)
    narrowest = max(wide(word, size, bold) for word in words)
    while room > narrowest and len(evener := _filled(words, size, room * 0.95, bold)) == len(lines):
        lines, room = evener, room * 0.95
    return lines


def _filled(words: Sequence[str], size: float, room: float, bold: bool) -> list[str]:
    """The words in lines, as many in each as have room."""
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
