"""The settings of a baccarat table: how it deals, and where houses differ in bets, roads and the squeeze."""

from __future__ import annotations

from typing import Literal

from firmware_bridge.games.baccarat.bets.rows import NaturalBets, TigerPairTop
from firmware_bridge.games.baccarat.roads.good import GoodId
from firmware_bridge.games.game import Terms


class Baccarat(Terms, frozen=True):
    """`[game]` of a baccarat table.

    procedure: third cards drawn when they are due, or six cards in every round.
    leading_ties: where roads show ties before the first win: on its bead, or in a column of their own.
    row1_limit: what a column of a road does that cannot leave row 1: it stays, or goes down at the first column it can.
    good_roads: the good roads that are shown, None for all ten.
    tiger_pair_top: what the top prize of the tiger pair asks for: identical cards, or the same rank.
    natural_bets: whether a bet on a natural needs the side to win, or any natural.
    squeeze: who may open the cards: the guest with the largest stake on a side, or any with a bet.
    """

    procedure: Literal["on-demand", "six-card"] = "on-demand"
    leading_ties: Literal["first-bead", "own-column"] = "first-bead"
    row1_limit: Literal["stay", "descend"] = "stay"
    good_roads: tuple[GoodId, ...] | None = None
    tiger_pair_top: TigerPairTop = "identical"
    natural_bets: NaturalBets = "must-win"
    squeeze: Literal["largest-stake", "any-bettor"] = "largest-stake"
