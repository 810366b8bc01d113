"""Exact odds of baccarat: how many of all ordered six-card deals pay each tier of each bet; their table in words."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import groupby
from math import perm
from typing import Final

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.facts.wire_states import BetOdds as Odds
from firmware_bridge.facts.wire_states import Chance
from firmware_bridge.games.baccarat.bets import (
    BETS,
    GROUPS,
    LOST,
    TRADITIONAL,
    Bet,
    Names,
    NaturalBets,
    Net,
    TigerPairTop,
    pays,
    tiers,
)
from firmware_bridge.games.baccarat.conditions import Condition
from firmware_bridge.games.baccarat.deals import (
    ROUND,
    OddsError,
    Piles,
    checked,
    deals_by_hands,
    deals_by_tier,
    deals_by_two,
    full,
    remaining,
)
from firmware_bridge.games.baccarat.script import Baccarat
from firmware_bridge.games.game import SHOE, SHOE_ID, OddsBook, Wording, flush_right, padded

__all__ = ["Chance", "Odds", "OddsError", "Piles", "deviation", "full", "odds", "remaining"]


def odds(
    piles: Piles, tiger_pair_top: TigerPairTop = "identical", natural_bets: NaturalBets = "must-win"
) -> dict[str, Odds]:
    """Return the odds of all 38 bets for a round dealt of `piles`, in the order of the rule book.

    Exact: `den` is the number of ordered six-card deals, 4,998,398,275,503,360 for a full shoe of 8 decks.
    Raises OddsError for fewer than six cards.
    """
    den = perm(checked(piles), ROUND)
    counted = _counted(piles, tiers(tiger_pair_top, natural_bets), tiger_pair_top)
    return {bet: _odds(counted[bet], den) for bet in BETS}


def deviation(
    piles: Piles, decks: int, tiger_pair_top: TigerPairTop = "identical", natural_bets: NaturalBets = "must-win"
) -> dict[str, Fraction]:
    """Return bet -> return per unit less that of a full shoe; exact. Raises OddsError below six cards."""
    now, fresh = odds(piles, tiger_pair_top, natural_bets), _fresh(decks, tiger_pair_top, natural_bets)
    return {bet: Fraction(*now[bet].rtp) - Fraction(*fresh[bet].rtp) for bet in BETS}


@cache
def _fresh(decks: int, tiger_pair_top: TigerPairTop, natural_bets: NaturalBets) -> dict[str, Odds]:
    return odds(full(decks), tiger_pair_top, natural_bets)


def _counted(
    piles: Piles, offered: dict[str, dict[Net, Condition]], tiger_pair_top: TigerPairTop
) -> dict[str, dict[Net, int]]:
    """Return for each bet its winning tiers and pushes, in the row's order, with their ordered six-card deals."""
    size = sum(piles.values())
    hands = deals_by_hands(_by_points(piles)).items()
    two = [(seen, ways * perm(size - 2, 4)) for seen, ways in deals_by_two(piles).items()]
    opening = deals_by_tier(piles, tiger_pair_top)
    counted: dict[str, dict[Net, int]] = {}
    for bet, paid in offered.items():
        if bet in opening:
            counted[bet] = {net: ways * perm(size - 4, 2) for net, ways in zip(paid, opening[bet], strict=True)}
        else:
            counted[bet] = _sorted_out(hands if BETS[bet].view == "hands" else two, paid)
    return counted


def _sorted_out(deals: Iterable[tuple[object, int]], paid: dict[Net, Condition]) -> dict[Net, int]:
    """Return the deals that each tier is paid on."""
    won = Counter[Net]()
    for seen, ways in deals:
        won[pays(paid, seen)] += ways
    return {net: won[net] for net in paid}


def _odds(won: dict[Net, int], den: int) -> Odds:
    chances = [*won.items(), (LOST, den - sum(won.values()))]
    rtp = sum((1 + Fraction(str(net))) * ways for net, ways in chances) / den  # 0.95 means 19/20, no float equals it
    return Odds(tuple(Chance(net, ways, den) for net, ways in chances), rtp.as_integer_ratio())


def _by_points(piles: Piles) -> list[int]:
    points = [0] * 10
    for card in FACES:
        points[card.points] += piles.get(card, 0)
    return points


NAME, RTP, PAYS, CHANCE = 28, 12, 12, 14
"""Columns of the table: widths in a terminal's cells, where a Chinese character takes two."""

_NET_WORDS: Final[dict[Net, str]] = {-1: "lost", 0: "push"}


def _of(decks: int, seen: Sequence[Card], terms: Baccarat) -> dict[str, Odds]:
    return odds(remaining(decks, seen), terms.tiger_pair_top, terms.natural_bets)


def _deviation(decks: int, seen: Sequence[Card], terms: Baccarat) -> dict[str, Fraction]:
    return deviation(remaining(decks, seen), decks, terms.tiger_pair_top, terms.natural_bets)


def _table(decks: int, seen: Sequence[Card], terms: Baccarat, wording: Wording) -> Iterator[str]:
    """Yield a line for each tier, the bet's name before its first."""
    by_bet, size = _of(decks, seen, terms), decks * len(FACES)
    shoe = wording.say(SHOE_ID, SHOE, size=size, decks=decks, left=size - len(seen))
    yield shoe + wording.say("odds.rtp", "RTP: what comes back, the stake included.")
    for group, bets in groupby(BETS.values(), lambda bet: bet.group):
        yield f"\n{_name(GROUPS[group], wording)}"
        for bet in bets:
            heads = [padded(_name(bet, wording), NAME) + _percent(by_bet[bet.id].rtp, 4).rjust(RTP)]
            for chance in by_bet[bet.id].tiers:
                head = heads.pop() if heads else " " * (NAME + RTP)
                yield f"  {head}{_paid(chance.pays, wording)}{_percent((chance.num, chance.den), 6):>{CHANCE}}"


def _name(of: Names | Bet, wording: Wording) -> str:
    return wording.named((of.en, of.zh.translate(TRADITIONAL), of.zh))


def _paid(net: Net, wording: Wording) -> str:
    """Return what a tier pays, at the right of its column."""
    words = _NET_WORDS.get(net)
    paid = wording.say(f"odds.{words}", words) if words else wording.say("odds.to_1", "{net} to 1", net=net)
    return flush_right(paid, PAYS)


def _percent(part: tuple[int, int], digits: int) -> str:
    return f"{float(100 * Fraction(*part)):.{digits}f} %"


BOOK: Final = OddsBook(of=_of, deviation=_deviation, table=_table)
