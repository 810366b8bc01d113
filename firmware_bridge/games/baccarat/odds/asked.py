"""The odds of baccarat as any game's are asked for, and their table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Final
from unicodedata import east_asian_width

from firmware_bridge.facts.cards import FACES, Card
from firmware_bridge.games.baccarat.bets import BETS, GROUPS, Net
from firmware_bridge.games.baccarat.odds import Odds, deviation, odds, remaining
from firmware_bridge.games.baccarat.terms import Baccarat
from firmware_bridge.games.game import OddsBook

ZH, EN, RTP, PAYS, CHANCE = 12, 28, 12, 12, 14
"""Columns of the table: widths in a terminal's cells, where a Chinese character takes two."""

_SAID: Final[dict[Net, str]] = {-1: "lost", 0: "push"}


def _of(decks: int, seen: Sequence[Card], terms: Baccarat) -> dict[str, Odds]:
    return odds(remaining(decks, seen), terms.tiger_pair_top, terms.natural_bets)


def _deviation(decks: int, seen: Sequence[Card], terms: Baccarat) -> dict[str, Fraction]:
    return deviation(remaining(decks, seen), decks, terms.tiger_pair_top, terms.natural_bets)


def _table(decks: int, seen: Sequence[Card], terms: Baccarat) -> Iterator[str]:
    """A line for each tier, the bet's names before its first."""
    told, left = _of(decks, seen, terms), decks * len(FACES) - len(seen)
    yield f"{decks * len(FACES)} cards in {decks} decks, {left} left. RTP: what comes back, the stake included."
    for group, bets in groupby(BETS.values(), lambda bet: bet.group):
        yield f"\n{GROUPS[group].zh}  {GROUPS[group].en}"
        for bet in bets:
            heads = [_left(bet.zh, ZH) + _left(bet.en, EN) + _percent(told[bet.id].rtp, 4).rjust(RTP)]
            for chance in told[bet.id].tiers:
                head = heads.pop() if heads else " " * (ZH + EN + RTP)
                said = _SAID.get(chance.pays, f"{chance.pays} to 1")
                yield f"  {head}{said:>{PAYS}}{_percent((chance.num, chance.den), 6):>{CHANCE}}"


def _percent(part: tuple[int, int], digits: int) -> str:
    return f"{float(100 * Fraction(*part)):.{digits}f} %"


def _left(text: str, width: int) -> str:
    """`text` with spaces behind it up to `width` cells."""
    return text + " " * (width - sum(2 if east_asian_width(sign) in "WF" else 1 for sign in text))


BOOK: Final = OddsBook(of=_of, deviation=_deviation, table=_table)
