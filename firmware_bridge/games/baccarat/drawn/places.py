"""The places on a board: wide (the big road above, the beads below it) or upright."""

from typing import Final, NamedTuple

from firmware_bridge.games.baccarat.drawn.grid import BESIDE, TITLE, Grid
from firmware_bridge.games.baccarat.drawn.shapes import Box
from firmware_bridge.games.baccarat.drawn.words import Kind
from firmware_bridge.games.baccarat.roads import ROWS

WIDE: Final = (1920, 1080)
UPRIGHT: Final = (1080, 1920)
"""The least size of a board in units; one of another shape is larger in one direction."""

MARGIN: Final = 24
GAP: Final = 2 * BESIDE + 2
"""Units between two things side by side."""

ROUNDS: Final = 84
"""Rounds the bead plate shows at least: few shoes of eight packs have more."""

CELL: Final = {"wide": 44, "upright": 36}
"""The big road's cells. Upright 44 give it 42 columns: 9 of 10 shoes of 80 rounds need no more."""


class Places(NamedTuple):
    """A board of `width` x `height` units: the grids, and the boxes of everything else."""

    width: float
    height: float
    title: Box
    last: Box
    counts: Box
    grids: dict[Kind, Grid]
    ask: Box
    good: Box
    good_columns: int
    legend: Box


def unit(width: int, height: int) -> float:
    """Return the pixels in a unit of the board of such a screen: as many as the least board allows."""
    least = WIDE if width >= height else UPRIGHT
    return min(width / least[0], height / least[1])


def places(width: int, height: int) -> Places:
    """Return the board of a screen of so many pixels."""
    pixels = unit(width, height)
    return (_wide if width >= height else _upright)(width / pixels, height / pixels)


def _wide(width: float, height: float) -> Places:
    """Place title and counts; the big road; the derived roads half its size; beads, ask and good roads; the legend."""
    inner = width - 2 * MARGIN
    columns = int(inner / CELL["wide"])
    cell = inner / columns
    heads = (64, 44)
    bare = height - sum(heads) - 3 * TITLE - cell * ROWS * 1.5 - 40 - MARGIN / 2
    bead = min(int((bare - 3 * 8) / ROWS), int(inner * 0.5 / (ROUNDS / ROWS)))
    gap = (bare - bead * ROWS) / 3
    y = float(sum(heads) + TITLE)
    big = Grid(MARGIN, y, cell, columns)
    y += big.height + gap + TITLE
    derived = _side_by_side(y, inner, cell / 2, 3)
    y += derived[0].height + gap + TITLE
    beads = Grid(MARGIN, y, bead, max(int(inner * 0.46 / bead), ROUNDS // ROWS))
    left = beads.x + beads.width + GAP
    ask = Box(left, y, (width - MARGIN - left - GAP) / 2, beads.height, "panel")
    good = Box(ask.x + ask.width + GAP, y, width - MARGIN - ask.x - ask.width - GAP, beads.height, "panel")
    return Places(
        width,
        height,
        title=Box(MARGIN, 0, inner * 0.36, heads[0], "ground"),
        last=Box(MARGIN + inner * 0.38, 0, inner * 0.44, heads[0], "ground"),
        counts=Box(MARGIN, heads[0], inner, heads[1], "ground"),
        grids={"big": big, "big-eye": derived[0], "small": derived[1], "cockroach": derived[2], "bead": beads},
        ask=ask,
        good=good,
        good_columns=2,
        legend=Box(MARGIN, y + beads.height + gap, inner, 40, "ground"),
    )


def _upright(width: float, height: float) -> Places:
    """Place all as on a wide board, but the derived roads and the ask road two by two, all else below one another."""
    inner = width - 2 * MARGIN
    columns = int(inner / CELL["upright"])
    cell = inner / columns
    heads = (76, 76, 88)
    chips = 5 * 48 + 4 * 12
    bare = height - sum(heads) - 5 * TITLE - 2 * cell * ROWS - chips - 108 - MARGIN / 2
    bead = min(inner / (ROUNDS / ROWS), (bare - 6 * 8) / ROWS)
    gap = (bare - bead * ROWS) / 6
    y = sum(heads) + gap + TITLE
    big = Grid(MARGIN, y, cell, columns)
    y += big.height + gap + TITLE
    eye, small = _side_by_side(y, inner, cell / 2, 2)
    y += eye.height + gap + TITLE
    cockroach = eye._replace(y=y)
    ask = Box(small.x, y, small.width, small.height, "panel")
    y += cockroach.height + gap + TITLE
    beads = Grid(MARGIN, y, bead, int(inner / bead + 0.01))
    y += beads.height + gap + TITLE
    return Places(
        width,
        height,
        title=Box(MARGIN, 0, inner * 0.76, heads[0], "ground"),
        last=Box(MARGIN, heads[0], inner, heads[1], "ground"),
        counts=Box(MARGIN, heads[0] + heads[1], inner, heads[2], "ground"),
        grids={"big": big, "big-eye": eye, "small": small, "cockroach": cockroach, "bead": beads},
        ask=ask,
        good=Box(MARGIN, y, inner, chips, "panel"),
        good_columns=2,
        legend=Box(MARGIN, y + chips + gap, inner, 108, "ground"),
    )


def _side_by_side(y: float, inner: float, cell: float, count: int) -> list[Grid]:
    """Return the grids of equal width, the last one at the right end."""
    columns = int((inner - (count - 1) * GAP) / count / cell)
    gap = (inner - count * columns * cell) / (count - 1)
    return [Grid(MARGIN + place * (columns * cell + gap), y, cell, columns) for place in range(count)]
