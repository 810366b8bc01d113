"""Roads in a terminal: letters and shapes carry the meaning of colours, so they can be missing."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest
from typing import Final, NamedTuple
from unicodedata import east_asian_width

from firmware_bridge.config.streams import is_utf
from firmware_bridge.facts.languages import Language
from firmware_bridge.games.baccarat.drawn.grid import Window, window
from firmware_bridge.games.baccarat.drawn.sheet import NOTHING, Heading, title
from firmware_bridge.games.baccarat.drawn.words import Kind, Words, good_name, words_in
from firmware_bridge.games.baccarat.roads import ROWS, Board, Cell

COLOURS: Final = {"red": "1;31", "blue": "1;94", "green": "1;32", "dim": "2", "title": "1"}

SHAPES: Final = {
    "utf": {"big-eye": "○□", "small": "●■", "cockroach": "╱╲", "empty": "·", "earlier": "‹", "later": "›"},
    "ascii": {"big-eye": "o#", "small": "@%", "cockroach": "/\\", "empty": ".", "earlier": "<", "later": ">"},
}
"""Road -> shapes of a red sign (round or rising) and a blue one (square or falling)."""


NARROWEST: Final = 30
GAP: Final = 2
"""Columns of the terminal between roads side by side."""

BEADS: Final = {"red": ("B", "1;97;41"), "blue": ("P", "1;97;44"), "green": ("T", "1;30;42")}
DERIVED: Final[tuple[Kind, ...]] = ("big-eye", "small", "cockroach")
MOST: Final = {"bead": 14, "big": 60, "big-eye": 40, "small": 40, "cockroach": 40}
"""Maximum columns of a road beside others."""

ROOMY: Final = 27
"""Columns of a derived road from which it has blanks between its signs, beside the other roads."""

ABREAST: Final = 76
"""Width from which the three derived roads stand side by side."""

BESIDE: Final = 30
"""Columns needed to the right of the bead plate."""


class Paint(NamedTuple):
    """Drawing abilities of a terminal. roomy: columns from which a derived road has blanks between its signs."""

    colours: bool
    shapes: dict[str, str]
    width: int
    roomy: int = ROOMY

    def __call__(self, text: str, style: str) -> str:
        """Return a text in a style, where there are colours."""
        return f"\x1b[{style}m{text}\x1b[0m" if self.colours else text

    def sign(self, road: str, which: str | None) -> str:
        if which is None:
            return self("-", COLOURS["dim"])
        return self(self.shapes[road][which != "R"], COLOURS["red" if which == "R" else "blue"])


class Text(NamedTuple):
    """Printed text and its width in columns, without colour codes."""

    printed: str
    wide: int


def screen(
    board: Board,
    language: Language,
    only: Kind | None = None,
    paint: Paint | None = None,
    heading: Heading = NOTHING,
) -> str:
    """Return the whole picture, 24 lines at a width of 80 in most shoes; or one road."""
    paint, words = paint or terminal(), words_in(language)
    width = max(paint.width, NARROWEST)
    if only in ("ask", "good"):
        asked, good = list(_asked(board, paint, words)), list(_good(board, paint, words, language, width))
        lines = asked if only == "ask" else good
    elif only:
        lines = _block(board, paint, words, only, width)
    else:
        lines = [*_head(board, paint, words, heading, width), *_roads(board, paint, words, language, width)]
    return "\n".join(line.printed.rstrip() for line in lines)


def terminal() -> Paint:
    """Return the terminal or pipe at stdout."""
    is_terminal = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
    shapes = SHAPES["utf" if is_utf() else "ascii"]
    return Paint(is_terminal and "NO_COLOR" not in os.environ, shapes, shutil.get_terminal_size().columns)


def plain(text: str) -> Text:
    """Return a text without colours."""
    return Text(text, wide(text))


def wrapped(parts: Iterable[Text], width: int, gap: str = "  ") -> list[Text]:
    """Return parts in lines of at most `width` columns; none is broken."""
    lines: list[Text] = []
    for part in parts:
        if lines and lines[-1].wide + len(gap) + part.wide <= width:
            lines[-1] = Text(lines[-1].printed + gap + part.printed, lines[-1].wide + len(gap) + part.wide)
        else:
            lines.append(part)
    return lines


def wide(text: str) -> int:
    """Return the width of a text in columns: Chinese signs take two."""
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def _head(board: Board, paint: Paint, words: Words, heading: Heading, width: int) -> Iterator[Text]:
    """Yield table and shoe, the last round, and all counts: the letters' legend."""
    name = title(heading, words, between="  ")
    first = [Text(paint(name, COLOURS["title"]), wide(name)), plain(f"{words.rounds} {len(board.bead)}")]
    first.append(plain(f"{words.naturals} {board.naturals.count('1')}"))
    if board.bead:
        first.append(plain(f"{words.last}: {_last(board, words, heading)}"))
    yield from wrapped(first, width)
    counts = [
        _meant(paint, letter, style, f"{words.sides[letter]} {board.outcomes.count(letter)}")
        for letter, style in BEADS.values()
    ]
    for mark, side, at in (("'", "B", 3), (",", "P", 4)):
        counts.append(plain(f"{mark} {words.pairs[side]} {sum(bool(cell[at]) for cell in board.bead)}"))
    yield from wrapped(counts, width)


def _last(board: Board, words: Words, heading: Heading) -> str:
    points = {side: hand.split()[-1] for side, hand in heading.points.items() if hand}
    score = f" {points['player']}:{points['banker']}" if len(points) == 2 else ""
    natural = f" {words.natural}" if board.naturals[-1] == "1" else ""
    return words.sides[board.outcomes[-1]] + score + natural


def _roads(board: Board, paint: Paint, words: Words, language: Language, width: int) -> Iterator[Text]:
    """Yield the big road; the derived roads below at half the width; the bead plate with the rest beside or below."""
    yield from _block(board, paint, words, "big", width)
    abreast = 3 if width >= ABREAST else 2
    share = (width - GAP * (abreast - 1)) // abreast
    for kinds in (DERIVED[:abreast], DERIVED[abreast:]):
        yield from _side_by_side([_block(board, paint, words, kind, share) for kind in kinds])
    beads = min(3 * MOST["bead"], width)
    plate = _block(board, paint, words, "bead", beads)
    left = width - beads - GAP
    rest = [
        *_asked(board, paint, words),
        *_good(board, paint, words, language, left if left >= BESIDE else width),
        *_legend(paint, words, left if left >= BESIDE else width),
    ]
    yield from _side_by_side([plate, rest]) if left >= BESIDE else [*plate, *rest]


def _side_by_side(blocks: Sequence[Sequence[Text]]) -> Iterator[Text]:
    widths = [max((line.wide for line in block), default=0) for block in blocks]
    for row in zip_longest(*blocks, fillvalue=Text("", 0)):
        cells = [line.printed + " " * (width - line.wide) for line, width in zip(row, widths, strict=True)]
        yield Text((" " * GAP).join(cells), sum(widths) + GAP * (len(widths) - 1))


def _block(board: Board, paint: Paint, words: Words, kind: Kind, width: int) -> list[Text]:
    """Return a road with its title: the columns around its newest mark, and the number of marks out of view."""
    size = _cell(board, kind, width, paint.roomy)
    columns = max(1, min(width // size, MOST[kind]))
    cells = list(_drawn(board, paint, kind, size))
    seen = window([cell for cell, _ in cells], columns)
    at = dict(cells)
    empty = paint(paint.shapes["empty"], COLOURS["dim"])
    blank = f" {empty} " if kind == "bead" else empty + " " * (size - 1)
    lines = [_title(paint, words.roads[kind], seen, width)]
    for row in range(1, ROWS + 1):
        filled = "".join(at.get((column, row), blank) for column in range(seen.first, seen.last + 1))
        lines.append(Text(filled, size * columns))
    return lines


def _title(paint: Paint, name: str, seen: Window, width: int) -> Text:
    """Return the road's name, with the number of marks hidden to the left (`‹`) and right (`›`)."""
    earlier = f"{paint.shapes['earlier']}{seen.earlier}" if seen.earlier else ""
    later = f"{seen.later}{paint.shapes['later']}" if seen.later else ""
    more = "".join(f" {each}" for each in (earlier, later) if each)
    short = name[: max(width - len(more), 1)]
    return Text(paint(short, COLOURS["title"]) + more, wide(short) + len(more))


def _cell(board: Board, kind: Kind, width: int, roomy: int) -> int:
    """Return the width of a cell in columns; the big road's with a blank after the tie's sign while it all fits."""
    if kind in DERIVED:
        return 2 if width // 2 >= roomy else 1
    if kind == "big":
        return 3 if 3 * max((column for column, *_ in board.big_grid), default=0) <= width else 2
    return 3


def _drawn(board: Board, paint: Paint, kind: Kind, size: int) -> Iterator[tuple[Cell, str]]:
    """Yield the cells of a road, each `size` columns wide."""
    if kind == "bead":
        for column, row, colour, banker_pair, player_pair in board.bead:
            letter, style = BEADS[colour]
            text = f"{chr(39) if banker_pair else ' '}{letter}{',' if player_pair else ' '}"
            yield (column, row), paint(text, style)
    elif kind == "big":
        for column, row, colour, ties, _ in board.big_grid:
            yield (
                (column, row),
                (paint(BEADS[colour][0], COLOURS[colour]) + paint(_ties(ties), COLOURS["green"]) + " " * (size - 2)),
            )
    else:
        for column, row, sign in _grid(board, kind):
            yield (column, row), paint.sign(kind, sign) + " " * (size - 1)


def _grid(board: Board, kind: Kind) -> Sequence[tuple[int, int, str]]:
    return {"big-eye": board.big_eye_grid, "small": board.small_grid, "cockroach": board.cockroach_grid}[kind]


def _ties(count: int) -> str:
    """Return the sign for ties: a slash for one, else their number."""
    return " " if not count else "/" if count == 1 else str(count) if count < 10 else "+"


def _asked(board: Board, paint: Paint, words: Words) -> Iterator[Text]:
    name = words.roads["ask"]
    yield Text(paint(name, COLOURS["title"]), wide(name))
    widest = max(map(wide, words.next.values()))
    for side, colour in (("banker", "red"), ("player", "blue")):
        answers = zip(DERIVED, board.ask[side], strict=True)
        signs = "  ".join(paint.sign(road, which) for road, which in answers)
        label = words.next[side] + " " * (widest - wide(words.next[side]))
        yield Text(f"{paint(label, COLOURS[colour])}  {signs}", widest + 9)


def _good(board: Board, paint: Paint, words: Words, language: Language, width: int) -> list[Text]:
    name = words.roads["good"]
    names = [good_name(each, language) for each in board.good_roads] or [words.none]
    return wrapped([Text(paint(name, COLOURS["title"]), wide(name)), *map(plain, names)], width)


def _legend(paint: Paint, words: Words, width: int) -> Iterator[Text]:
    """Yield the legend of the derived roads' signs, and of ties."""
    meanings = [("/ 2 3", "green", words.sides["T"])]
    for place, (colour, word) in enumerate((("red", words.regular), ("blue", words.irregular))):
        meanings.append(("".join(paint.shapes[road][place] for road in DERIVED), colour, word))
    yield from wrapped([_meant(paint, signs, COLOURS[colour], word) for signs, colour, word in meanings], width)


def _meant(paint: Paint, signs: str, style: str, word: str) -> Text:
    return Text(f"{paint(signs, style)} {word}", wide(f"{signs} {word}"))
