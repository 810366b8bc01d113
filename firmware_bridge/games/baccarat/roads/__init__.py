"""The roads of a shoe: bead plate, big road, three derived roads, ask road, good roads (seeds 000 and 001)."""

from firmware_bridge.games.baccarat.roads.board import Answer, AskCells, Board, ask, board
from firmware_bridge.games.baccarat.roads.columns import (
    ROWS,
    Bead,
    BigRoad,
    Cell,
    Column,
    LeadingTies,
    Outcome,
    bead_cells,
)
from firmware_bridge.games.baccarat.roads.good import ALL_GOOD, GOOD_ROADS, GoodId, GoodRoad, good_roads
from firmware_bridge.games.baccarat.roads.picture import Picture, Row1Limit
from firmware_bridge.games.baccarat.roads.roads import DERIVED, Derived, Roads, RoadSettings, Sign, append, roads_of

__all__ = [
    "ALL_GOOD",
    "DERIVED",
    "GOOD_ROADS",
    "ROWS",
    "Answer",
    "AskCells",
    "Bead",
    "BigRoad",
    "Board",
    "Cell",
    "Column",
    "Derived",
    "GoodId",
    "GoodRoad",
    "LeadingTies",
    "Outcome",
    "Picture",
    "RoadSettings",
    "Roads",
    "Row1Limit",
    "Sign",
    "append",
    "ask",
    "bead_cells",
    "board",
    "good_roads",
    "roads_of",
]
