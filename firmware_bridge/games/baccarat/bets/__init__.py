"""What a round pays: the net result of every bet from the cards of the round, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Final

from firmware_bridge.facts.cards import Card
from firmware_bridge.games.baccarat.bets.conditions import Condition, Hand, Hands
from firmware_bridge.games.baccarat.bets.rows import (
    BETS,
    GROUPS,
    Bet,
    Names,
    NaturalBets,
    Net,
    TigerPairTop,
    View,
    tiers,
)

__all__ = ["BETS", "GROUPS", "LOST", "Bet", "Names", "NaturalBets", "Net", "TigerPairTop", "closed", "pays", "results"]

LOST: Final = -1
"""Net units per unit staked where no tier of a bet holds."""


def results(
    hands: Mapping[str, tuple[Card, ...]],
    tiger_pair_top: TigerPairTop = "identical",
    natural_bets: NaturalBets = "must-win",
) -> dict[str, Net]:
    """Net units per unit staked of all 38 bets, in the order of the rule book.

    hands: the cards of `player` and `banker` in the order they joined the hand, two or three each.
    """
    player, banker = hands["player"], hands["banker"]
    opening = (player[0], player[1]), (banker[0], banker[1])
    paid = _of_hands((_hand(player), _hand(banker)), natural_bets).copy()
    for view, seen in (("player", opening[0]), ("banker", opening[1]), ("opening", opening)):
        for bet, offered in _offered(view, tiger_pair_top, natural_bets):
            paid[bet] = pays(offered, seen)
    return paid


def pays(offered: dict[Net, Condition], seen: object) -> Net:
    """The net odds of the first tier that holds of what the bet looks at."""
    for net, holds in offered.items():
        if holds(seen):
            return net
    return LOST


@lru_cache(128)
def closed(number: int) -> tuple[str, ...]:
    """The bets refused in round `number` of a shoe: "closes after 50" is open in rounds 1..50."""
    return tuple(bet.id for bet in BETS.values() if bet.closes_after is not None and number > bet.closes_after)


def _hand(cards: tuple[Card, ...]) -> Hand:
    return Hand(sum([card.points for card in cards]) % 10, len(cards))


@cache
def _of_hands(hands: Hands, natural_bets: NaturalBets) -> dict[str, Net]:
    """All 38 bets, those on the finished hands paid, the others lost: at most 400 pairs of hands."""
    offered = _offered("hands", "identical", natural_bets)
    return dict.fromkeys(BETS, LOST) | {bet: pays(each, hands) for bet, each in offered}


@cache
def _offered(
    view: View, tiger_pair_top: TigerPairTop, natural_bets: NaturalBets
) -> tuple[tuple[str, dict[Net, Condition]], ...]:
    """The bets that look at `view`, with their tiers."""
    offered = tiers(tiger_pair_top, natural_bets)
    return tuple((bet.id, offered[bet.id]) for bet in BETS.values() if bet.view == view)
