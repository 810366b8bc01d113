"""The columns of the big road: of any length, with the ties on each bead, before anything is drawn."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from firmware_bridge.games.baccarat.roads.bead import Outcome

LeadingTies = Literal["first-bead", "own-column"]
"""Ties before any other result: counted on bead 1 [000], or a column of their own as one live provider draws them."""

_COLUMN: Final[Callable[[str], list[str]]] = re.compile("B[BT]*|P[PT]*").findall


class Column(NamedTuple):
    """A streak of one side; `ties` holds one count per bead. T is the column of leading ties, if they have one."""

    side: Outcome
    ties: tuple[int, ...]


class BigRoad(NamedTuple):
    """All columns of the big road, and the leading ties that wait for a bead 1."""

    columns: tuple[Column, ...] = ()
    held_ties: int = 0


def big_road_of(outcomes: str, leading_ties: LeadingTies = "first-bead") -> BigRoad:
    """The columns of a whole shoe ("BPTB..")."""
    led = len(outcomes) - len(outcomes.lstrip("T"))
    columns = [_column(text) for text in _COLUMN(outcomes)]
    if led and leading_ties == "own-column":
        columns.insert(0, Column("T", (led - 1,)))
    elif led and columns:
        columns[0] = Column(columns[0].side, (columns[0].ties[0] + led, *columns[0].ties[1:]))
    return BigRoad(tuple(columns), 0 if columns else led)


def extend(road: BigRoad, outcome: Outcome, leading_ties: LeadingTies = "first-bead") -> BigRoad:
    """The columns after one more round; only the last one may change."""
    columns, held = road
    if outcome == "T":
        return _tied(road, leading_ties)
    if columns and columns[-1].side == outcome:
        return BigRoad((*columns[:-1], Column(outcome, (*columns[-1].ties, 0))))
    return BigRoad((*columns, Column(outcome, (held,))))


def _tied(road: BigRoad, leading_ties: LeadingTies) -> BigRoad:
    columns, held = road
    if columns:
        side, ties = columns[-1]
        return BigRoad((*columns[:-1], Column(side, (*ties[:-1], ties[-1] + 1))))
    if leading_ties == "own-column":
        return BigRoad((Column("T", (0,)),))
    return BigRoad((), held + 1)


@lru_cache(4096)
def _column(text: str) -> Column:
    """The column of a streak with its ties, "BTTB"."""
    side: Outcome = "B" if text[0] == "B" else "P"
    if "T" not in text:
        return Column(side, (0,) * len(text))
    return Column(side, tuple([len(ties) for ties in text.split(side)[1:]]))
