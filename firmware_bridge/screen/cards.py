"""Cards in boxes of several sizes, each slot with its lamp, for a terminal."""

import time
from typing import Final, NamedTuple

from rich.text import Text

from firmware_bridge.screen.words import SIGNS, face
from hardware.pins.lamps import phase

RED: Final = "bold red"
NO_CARD: Final = ""
LIT: Final = {"ready": "bold green", "fault": "bold red"}

NARROW: Final = 3
"""Letters of a slot's name that stand one column further right."""


class Size(NamedTuple):
    """Columns and lines of a card, its frame included."""

    width: int
    height: int


SMALL: Final = Size(6, 3)
MEDIUM: Final = Size(8, 5)
SIZES: Final = (Size(15, 9), Size(11, 7), MEDIUM, SMALL)
"""Sizes of cards, the largest first."""


def lamp(name: str, rhythm: str | None) -> Text:
    """Return the lamp at this moment: it blinks."""
    if rhythm is None:
        return Text("·", "dim")
    is_lit, _ = phase(rhythm, int(1000 * time.monotonic()))
    return Text("●" if is_lit else "○", LIT.get(name, "bold yellow"))


def card_face(card: str | None) -> Text:
    """Return a card in a line of text."""
    return Text("░░", "blue") if card is None else Text(face(card), _colour(card))


def box(card: str | None, size: Size, is_old: bool, draw: str = "") -> list[Text]:
    """Return the lines of a card: None face down, NO_CARD an empty place. draw: the word where a card is due."""
    wide, high = size.width - 2, size.height - 2
    edge = "dim" if is_old or card == NO_CARD else ""
    top, side, bottom = ("┌─┐", "│", "└─┘") if card != NO_CARD else ("┌╌┐", "╎", "└╌┘")
    if draw:
        edge, top, side, bottom = "bold yellow", "╔═╗", "║", "╚═╝"
    inside = [Text("░" * wide, "blue")] * high if card is None else _inside(card, wide, high, draw)
    return [
        Text(_stretched(top, wide), edge),
        *[Text.assemble((side, edge), line, (side, edge)) for line in inside],
        Text(_stretched(bottom, wide), edge),
    ]


def label(name: str, rhythm: str | None, size: Size) -> Text:
    """Return the name of a slot with its lamp, to stand below a card; blanks for a further card of the same hand."""
    if not name:
        return Text(" " * size.width)
    named = name if len(name) > NARROW else f" {name}"
    return Text.assemble(f"{named:<4}", lamp(name, rhythm), " " * (size.width - 5))


def _inside(card: str, wide: int, high: int, draw: str) -> list[Text]:
    """Return the face of a card in two corners with its suit between them; of an empty place the word, if any."""
    lines = [Text(" " * wide) for _ in range(high)]
    if card == NO_CARD:
        lines[high // 2] = _centred(Text(draw, "bold yellow"), wide)
    elif high == 1:
        lines[0] = _centred(card_face(card), wide)
    else:
        shown = card_face(card)
        lines[0] = Text.assemble(" ", shown, " " * (wide - 1 - shown.cell_len))
        lines[-1] = Text.assemble(" " * (wide - 1 - shown.cell_len), shown, " ")
        if wide % 2 and card[1] in SIGNS:
            lines[high // 2] = _centred(Text(shown.plain[1:], shown.style), wide)
    return lines


def _centred(text: Text, wide: int) -> Text:
    left = (wide - text.cell_len) // 2
    return Text.assemble(" " * left, text, " " * (wide - left - text.cell_len))


def _stretched(ends: str, wide: int) -> str:
    return f"{ends[0]}{ends[1] * wide}{ends[2]}"


def _colour(card: str) -> str:
    return RED if card[1] in "hd" else "bold"
