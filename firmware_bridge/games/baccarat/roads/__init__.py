"""The roads of a shoe: bead plate, big road, three derived roads, ask road, good roads (seeds 000 and 001)."""

from firmware_bridge.games.baccarat.roads.board import Board, board
from firmware_bridge.games.baccarat.roads.columns import ROWS, Bead, Cell, Column, LeadingTies, Outcome, bead_cells
from firmware_bridge.games.baccarat.roads.good import ALL_GOOD, GOOD_ROADS, GoodId, good_roads
from firmware_bridge.games.baccarat.roads.picture import Row1Limit
from firmware_bridge.games.baccarat.roads.roads import Roads, RoadSettings, append, roads_of

__all__ = [
    "ALL_GOOD",
    "GOOD_ROADS",
    "ROWS",
    "Bead",
    "Board",
    "Cell",
    "Column",
    "GoodId",
    "LeadingTies",
    "Outcome",
    "RoadSettings",
    "Roads",
    "Row1Limit",
    "append",
    "bead_cells",
    "board",
    "good_roads",
    "roads_of",
]
