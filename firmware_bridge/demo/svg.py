"""A picture of the terminal as SVG: each character in its own cell, independent of the viewer's fonts."""

import re
from collections.abc import Iterator, Sequence
from io import StringIO
from typing import Final
from xml.sax.saxutils import escape

from rich.cells import cell_len
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import SVG_EXPORT_THEME as THEME
from rich.text import Text

CELL: Final = 12
LINE: Final = 24
SIZE: Final = 20
MARGIN: Final = 20
"""Sizes of a cell and of the margin, in pixels."""

FONTS: Final = "'DejaVu Sans Mono',Menlo,Consolas,'Liberation Mono',monospace"
DIM: Final = 0.65
"""Opacity of a dim character."""

HALF: Final = CELL / 2
MID: Final = LINE / 2
RIGHT, LEFT, UP, DOWN = (CELL, MID), (0, MID), (HALF, 0), (HALF, LINE)
STROKES: Final = {
    "─": (LEFT, RIGHT), "│": (UP, DOWN), "┌": (DOWN, RIGHT), "┐": (LEFT, DOWN), "└": (UP, RIGHT), "┘": (LEFT, UP),
    "╭": (DOWN, RIGHT), "╮": (LEFT, DOWN), "╰": (UP, RIGHT), "╯": (LEFT, UP), "═": (LEFT, RIGHT), "║": (UP, DOWN),
    "╔": (DOWN, RIGHT), "╗": (LEFT, DOWN), "╚": (UP, RIGHT), "╝": (LEFT, UP), "╌": (LEFT, RIGHT), "╎": (UP, DOWN),
}  # fmt: skip
"""Box-drawing character -> the two sides of its cell that it joins, through the middle."""

HEAVY: Final = "═║╔╗╚╝"
BROKEN: Final = "╌╎"
FILLED: Final = {"█": 1.0, "░": 0.35}
"""Block character -> opacity of the filled cell."""

LETTERS: Final = rf"[^\s{''.join(STROKES)}{''.join(FILLED)}]+"
"""A word: viewers without a position per letter use the first one."""


def svg(lines: Sequence[Text], title: str) -> str:
    """The lines of a terminal as SVG text, reproducible and without external resources."""
    console = Console(file=StringIO(), width=max(line.cell_len for line in lines), color_system="truecolor")
    width, height = console.width * CELL + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    drawn = [part for row, line in enumerate(lines) for part in _line(console, line, MARGIN + row * LINE)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="{FONTS}" '
        f'font-size="{SIZE}" role="img" aria-label="{escape(title)}">'
    )
    ground = f'<rect width="{width}" height="{height}" rx="8" fill="{THEME.background_color.hex}"/>'
    return "\n".join([head, ground, *drawn, "</svg>\n"])


def _line(console: Console, line: Text, y: float) -> Iterator[str]:
    x = MARGIN
    for segment in Text.assemble(line).render(console):
        style = segment.style or Style.null()
        yield from _segment(segment.text.rstrip("\n"), style, x, y)
        x += CELL * cell_len(segment.text.rstrip("\n"))


def _segment(text: str, style: Style, x: float, y: float) -> Iterator[str]:
    if style.bgcolor and not style.bgcolor.is_default:
        colour = style.bgcolor.get_truecolor(THEME, foreground=False).hex
        yield f'<rect x="{x}" y="{y}" width="{CELL * len(text)}" height="{LINE}" fill="{colour}"/>'
    ink = (style.color.get_truecolor(THEME) if style.color else THEME.foreground_color).hex
    look = f' opacity="{DIM}"' if style.dim else ""
    signs = [(x + CELL * place, sign) for place, sign in enumerate(text) if not sign.isspace()]
    frames = [_stroke(sign, at, y) for at, sign in signs if sign in STROKES]
    for weight in dict.fromkeys(weight for weight, _ in frames):
        path = "".join(part for each, part in frames if each == weight)
        yield f'<path d="{path}" fill="none" stroke="{ink}" {weight}{look}/>'
    for at, sign in signs:
        if sign in FILLED:
            yield f'<rect x="{at}" y="{y}" width="{CELL}" height="{LINE}" fill="{ink}" opacity="{FILLED[sign]}"/>'
    bold = ' font-weight="bold"' if style.bold else ""
    for word in re.finditer(LETTERS, text):
        places = " ".join(f"{x + CELL * place}" for place in range(*word.span()))
        yield f'<text x="{places}" y="{y + 17}" fill="{ink}"{bold}{look}>{escape(word[0])}</text>'


def _stroke(sign: str, x: float, y: float) -> tuple[str, str]:
    """Style and path of a box-drawing character: from one side of its cell through the middle to another."""
    (x1, y1), (x2, y2) = STROKES[sign]
    weight = 'stroke-width="3"' if sign in HEAVY else 'stroke-width="1.5"'
    weight += ' stroke-dasharray="4 4"' if sign in BROKEN else ""
    return weight, f"M{x + x1:g} {y + y1:g}L{x + HALF:g} {y + MID:g}L{x + x2:g} {y + y2:g}"
