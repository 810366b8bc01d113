"""A picture of the terminal as SVG: each character in its own cell, signs as shapes, in the colours of the roads."""

import re
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from itertools import groupby
from typing import Final
from xml.sax.saxutils import escape

from rich.cells import cell_len
from rich.color import blend_rgb
from rich.color_triplet import ColorTriplet
from rich.console import Console
from rich.style import Style
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from firmware_bridge.games.baccarat.drawn.shapes import THEMES

CELL: Final = 12
LINE: Final = 24
SIZE: Final = 20
MARGIN: Final = 20
"""Sizes of a cell and of the margin, in pixels."""

FONTS: Final = (
    "ui-monospace,SFMono-Regular,Menlo,Consolas,'Cascadia Mono','DejaVu Sans Mono','Liberation Mono',"
    "'Noto Sans Mono','Roboto Mono',monospace"
)
"""Each system has one of them; every letter has its place, so their widths do not matter."""

CONTRAST: Final = 4.5
"""Least contrast of a letter to its ground: WCAG 2.1, AA."""

DIM: Final = 0.65
FAINT: Final = 0.3
"""Share of the ink in a dim letter, and in a dim sign such as the dot of an empty place."""

BLACK, WHITE = ColorTriplet(0, 0, 0), ColorTriplet(255, 255, 255)


def _rgb(colour: str) -> ColorTriplet:
    return ColorTriplet(*(int(colour[at : at + 2], 16) for at in (1, 3, 5)))


def _theme(*colours: str) -> TerminalTheme:
    """Return a theme from the eight colours of a terminal, black to white."""
    return TerminalTheme(_rgb(_BOARD["ground"]), _rgb(_BOARD["text"]), [_rgb(colour) for colour in colours])


_BOARD: Final = THEMES["dark"]
INKS: Final = _theme(
    *(_BOARD["ground"], _BOARD["red"], _BOARD["green"], _BOARD["gold"]),
    *(_BOARD["blue"], "#c79bff", "#56cfe1", _BOARD["text"]),
)
"""Colours of letters and lines: those of the dark road board, and a magenta and a cyan beside them."""

GROUNDS: Final = _theme(
    *(_BOARD["edge"], _BOARD["banker"], _BOARD["tie"], _BOARD["gold"]),
    *(_BOARD["player"], "#7d4bc4", "#12788a", _BOARD["text"]),
)
"""Colours behind letters."""

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
BLOCKS: Final = {"█": 1.0, "░": 0.35}
"""Block character -> share of the ink in the filled cell."""

SUITS: Final = {
    "♥": "M6 18.4C2.4 15.4.9 13.7.9 11.6C.9 9.9 2.1 8.8 3.5 8.8C4.6 8.8 5.5 9.4 6 10.5"
    "C6.5 9.4 7.4 8.8 8.5 8.8C9.9 8.8 11.1 9.9 11.1 11.6C11.1 13.7 9.6 15.4 6 18.4Z",
    "♦": "M6 8L10.2 13.3L6 18.6L1.8 13.3Z",
    "♠": "M6 8C6.6 9.9 11 11.7 11 14.4C11 16 9.9 16.9 8.7 16.9C7.7 16.9 6.9 16.3 6.5 15.6C6.6 17 7 18 7.8 18.6"
    "H4.2C5 18 5.4 17 5.5 15.6C5.1 16.3 4.3 16.9 3.3 16.9C2.1 16.9 1 16 1 14.4C1 11.7 5.4 9.9 6 8Z",
    "♣": "M6 8A2.5 2.5 0 0 1 7.9 12.1A2.5 2.5 0 1 1 6.5 15.6C6.6 17 7 18 7.8 18.6"
    "H4.2C5 18 5.4 17 5.5 15.6A2.5 2.5 0 1 1 4.1 12.1A2.5 2.5 0 0 1 6 8Z",
}
FILLED: Final = SUITS | {
    "●": "M1.2 11A4.8 4.8 0 1 1 10.8 11A4.8 4.8 0 1 1 1.2 11Z",
    "■": "M1.5 6.5H10.5V15.5H1.5Z",
    "·": "M4.6 11A1.4 1.4 0 1 1 7.4 11A1.4 1.4 0 1 1 4.6 11Z",
}
"""Sign -> its shape in a cell; the fonts of some systems draw it in colours, or lack it."""

LINED: Final = {
    "○": "M2 11A4 4 0 1 1 10 11A4 4 0 1 1 2 11Z",
    "□": "M2 7H10V15H2Z",
    "╱": "M2.5 16.5L9.5 5.5",
    "╲": "M2.5 5.5L9.5 16.5",
    "✓": "M1.5 11.5L4.8 15L10.5 7",
    "✗": "M2 7L10 15M10 7L2 15",
}
"""Sign -> the lines it is drawn with."""

LETTERS: Final = rf"[^\s{''.join([*STROKES, *BLOCKS, *FILLED, *LINED])}]+"
"""A word: viewers without a position per letter use the first one."""


def svg(lines: Sequence[Text], title: str) -> str:
    """Return the lines of a terminal as SVG, reproducible and without external resources; every letter is legible."""
    console = Console(file=StringIO(), width=max(line.cell_len for line in lines), color_system="truecolor")
    width, height = console.width * CELL + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    drawn = [part for row, line in enumerate(lines) for part in _line(console, line, MARGIN + row * LINE)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="{FONTS}" '
        f'font-size="{SIZE}" role="img" aria-label="{escape(title)}">'
    )
    ground = f'<rect x="0" y="0" width="{width}" height="{height}" rx="12" fill="{INKS.background_color.hex}"/>'
    return "\n".join([head, ground, *drawn, "</svg>\n"])


def contrast(one: ColorTriplet, other: ColorTriplet) -> float:
    """Return the contrast of two colours, 1 to 21 (WCAG 2.1)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: ColorTriplet) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour.normalized
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _legible(ink: ColorTriplet, ground: ColorTriplet) -> ColorTriplet:
    """Return the ink, made lighter or darker until it can be read on this ground."""
    end = max(BLACK, WHITE, key=lambda each: contrast(each, ground))
    shades = (blend_rgb(ink, end, step / 20) for step in range(21))
    return next((shade for shade in shades if contrast(shade, ground) >= CONTRAST), end)


def _line(console: Console, line: Text, y: float) -> Iterator[str]:
    x = MARGIN
    for segment in Text.assemble(line).render(console):
        text = segment.text.rstrip("\n")
        yield from _segment(text, segment.style or Style.null(), x, y)
        x += CELL * cell_len(text)


def _segment(text: str, style: Style, x: float, y: float) -> Iterator[str]:
    ground = INKS.background_color
    if style.bgcolor and not style.bgcolor.is_default:
        ground = style.bgcolor.get_truecolor(GROUNDS, foreground=False)
        left, right = text[:1].isspace(), text[-1:].isspace()  # a pixel between neighbours, not beside a letter
        wide, high = CELL * cell_len(text) - left - right, LINE - 2
        yield f'<rect x="{x + left:g}" y="{y - 1:g}" width="{wide:g}" height="{high}" rx="5" fill="{ground.hex}"/>'
    ink = style.color.get_truecolor(INKS) if style.color else INKS.foreground_color
    signs = _faded(ink, ground, FAINT) if style.dim else ink
    letters = _legible(_faded(ink, ground, DIM) if style.dim else ink, ground)
    yield from _frames(text, x, y, signs.hex)
    yield from _blocks(text, x, y, lambda share: _faded(ink, ground, share).hex)
    yield from _signs(text, x, y, signs.hex if style.dim else letters.hex)
    bold = ' font-weight="700"' if style.bold else ""
    for word in re.finditer(LETTERS, text):
        places = " ".join(f"{x + CELL * place:g}" for place in range(*word.span()))
        yield f'<text x="{places}" y="{y + 17:g}" fill="{letters.hex}"{bold}>{escape(word[0])}</text>'


def _faded(ink: ColorTriplet, ground: ColorTriplet, share: float) -> ColorTriplet:
    return blend_rgb(ground, ink, share)


def _frames(text: str, x: float, y: float, ink: str) -> Iterator[str]:
    """Yield the box-drawing characters, those of a weight in one path."""
    paths: dict[str, str] = {}
    place = 0
    for sign, same in groupby(text):
        count = len(list(same))
        if sign in STROKES:
            weight = 'stroke-width="3"' if sign in HEAVY else 'stroke-width="1.5"'
            weight += ' stroke-dasharray="4 4"' if sign in BROKEN else ""
            paths[weight] = paths.get(weight, "") + _stroke(sign, x + CELL * place, y, count)
        place += count
    for weight, path in paths.items():
        yield f'<path d="{path}" fill="none" stroke="{ink}" {weight}/>'


def _stroke(sign: str, x: float, y: float, count: int) -> str:
    """Return a character so many times, as a path; corners are round."""
    (x1, y1), (x2, y2) = STROKES[sign]
    if y1 == y2:
        return f"M{x:g} {y + y1:g}h{CELL * count}"
    bend = "L" if x1 == x2 else f"Q{x + HALF:g} {y + MID:g} "
    once = f"M{x + x1:g} {y + y1:g}{bend}{x + x2:g} {y + y2:g}"
    return once if count == 1 else once + _stroke(sign, x + CELL, y, count - 1)


def _blocks(text: str, x: float, y: float, ink: Callable[[float], str]) -> Iterator[str]:
    """Yield each run of a block character, as one bar."""
    for run in re.finditer("|".join(f"{sign}+" for sign in BLOCKS), text):
        at, wide = x + CELL * run.start(), CELL * len(run[0])
        fill = ink(BLOCKS[run[0][0]])
        yield f'<rect x="{at:g}" y="{y + 3:g}" width="{wide:g}" height="{LINE - 6}" rx="3" fill="{fill}"/>'


def _signs(text: str, x: float, y: float, ink: str) -> Iterator[str]:
    """Yield suits, lamps, marks of roads, ticks: shapes, since fonts differ in them."""
    lines = f'fill="none" stroke="{ink}" stroke-width="2" stroke-linecap="round"'
    for place, sign in enumerate(text):
        look = f'fill="{ink}"' if sign in FILLED else lines
        if path := FILLED.get(sign) or LINED.get(sign):
            at = f"translate({x + CELL * place:g} {y:g})"
            larger = f"translate({x + CELL * place - 0.9:g} {y - 4.5:g}) scale(1.15)"
            yield f'<path transform="{larger if sign in SUITS else at}" d="{path}" {look}/>'
