"""Rows of text in as many lines as there are: they wrap, and what is cut says so."""

from __future__ import annotations

from collections.abc import Sequence
from io import StringIO
from typing import Final

from rich.console import Console
from rich.text import Text

from firmware_bridge.screen.sight import Row

NAMES: Final = 9
"""Columns of the names of rows."""

_CONSOLE: Final = Console(file=StringIO())


def fitted(rows: Sequence[Row], width: int, room: int | None) -> tuple[list[list[Text]], int]:
    """The lines of each row, at most `room` in all, and how many were left out.

    What is lower gives way first: rows shrink to what they keep, then they go. Old news is not counted.
    """
    blocks = [_lines(row, width) for row in rows]
    shown = _shares([len(block) for block in blocks], [row.keeps for row in rows], room)
    left_out = sum(
        (0 if count else row.keeps) if row.is_news else len(block) - count
        for row, block, count in zip(rows, blocks, shown, strict=True)
    )
    cut = [_cut(row, block, count, width) for row, block, count in zip(rows, blocks, shown, strict=True)]
    return cut, left_out


def _shares(wanted: list[int], keeps: list[int], room: int | None) -> list[int]:
    if room is None:
        return wanted
    shown, excess = list(wanted), sum(wanted) - room
    for least in (keeps, [0] * len(keeps)):
        for place in reversed(range(len(shown))):
            less = max(min(excess, shown[place] - least[place]), 0)
            shown[place] -= less
            excess -= less
    return shown


def _lines(row: Row, width: int) -> list[Text]:
    """The row's name, and its text beside it; a row without a name has the whole width."""
    names = NAMES if row.name else 0
    wide = max(width - names, 1)
    if row.wraps:
        lines = list(row.text.wrap(_CONSOLE, wide, overflow="fold"))
    else:
        lines = list(row.text.split(allow_blank=True))
        for line in lines:
            line.truncate(wide, overflow="ellipsis")
    named = [f"{row.name:<{names}}", *[" " * names] * (len(lines) - 1)]
    return [Text.assemble((name, "dim"), line) for name, line in zip(named, lines, strict=True)]


def _cut(row: Row, block: list[Text], count: int, width: int) -> list[Text]:
    """So many lines of a row: of news the last ones, else the first, with an ellipsis where more would follow."""
    if count >= len(block) or not count:
        return block[:count]
    if row.is_news:
        name = NAMES if row.name else 0
        kept = [line.copy() for line in block[-count:]]
        return [Text.assemble(block[0][:name], kept[0][name:]), *kept[1:]]
    last = block[count - 1].copy()
    last.rstrip()
    last.truncate(width - 1)
    return [*block[: count - 1], Text.assemble(last, "…")]
