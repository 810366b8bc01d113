"""`shoe odds`: the exact odds of every bet, for a full shoe or for what is left of one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby
from pathlib import Path
from typing import Final, get_args
from unicodedata import east_asian_width

import msgspec

from firmware_bridge.errors import ScriptError
from firmware_bridge.facts.cards import Card
from firmware_bridge.games.baccarat.bets import BETS, GROUPS, NaturalBets, Net, TigerPairTop
from firmware_bridge.games.baccarat.odds import Odds, odds, remaining
from firmware_bridge.sim.script import Drawn, NewShoe, parse

ZH, EN, RTP, PAYS, CHANCE = 12, 28, 12, 12, 14
"""Columns of the table: widths in a terminal's cells, where a Chinese character takes two."""

_SAID: Final[dict[Net, str]] = {-1: "lost", 0: "push"}


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe odds`."""
    parser.add_argument("--decks", type=int, default=8, metavar="N", help="packs in a full shoe (default: 8)")
    parser.add_argument(
        "--seen", metavar="FILE", help="cards that have left the shoe, as a deal script; - for stdin"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
    parser.add_argument("--tiger-pair-top", choices=get_args(TigerPairTop), default="identical", help="four alike")
    parser.add_argument("--natural-bets", choices=get_args(NaturalBets), default="must-win", help="beaten naturals")


def run(arguments: argparse.Namespace) -> int:
    """Write the odds; 0. Raises OddsError for cards no shoe holds or too few, ScriptError for the file."""
    piles = remaining(arguments.decks, _seen(arguments.seen) if arguments.seen else [])
    told = odds(piles, arguments.tiger_pair_top, arguments.natural_bets)
    if arguments.json:
        sys.stdout.buffer.write(msgspec.json.encode(told) + b"\n")
    else:
        print("\n".join(_table(told, arguments.decks, sum(piles.values()))))
    return 0


def _seen(name: str) -> list[Card]:
    """The cards a deal script names; `shoe` begins again with a full one, and what is not a card changes nothing.

    A card nobody could read (`??`) may be any that is left, so it is as good as still in the shoe.
    """
    cards: list[Card] = []
    for step in parse(_text(name)):
        match step:
            case NewShoe():
                cards.clear()
            case Drawn(card) if card:
                cards.append(card)
    return cards


def _text(name: str) -> str:
    try:
        return sys.stdin.read() if name == "-" else Path(name).read_text("utf-8")
    except (OSError, UnicodeError) as error:
        said = error.strerror if isinstance(error, OSError) else "it is no text"
        raise ScriptError(f"{name}: {said}", "name a file of cards, As Td .., or - for stdin") from None


def _table(told: dict[str, Odds], decks: int, left: int) -> Iterator[str]:
    """A line for each tier, the bet's names before its first."""
    yield f"{decks * 52} cards in {decks} decks, {left} left. RTP: what comes back, the stake included."
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
