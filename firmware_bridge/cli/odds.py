"""`shoe odds`: the exact odds of every bet, for a full shoe or for what is left of one."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec

from firmware_bridge.errors import ScriptError
from firmware_bridge.facts.cards import Card
from firmware_bridge.facts.house import House
from firmware_bridge.games import GAMES
from firmware_bridge.games.house import choices
from firmware_bridge.sim.script import Drawn, NewShoe, parse


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe odds`."""
    parser.add_argument("--decks", type=int, default=8, metavar="N", help="packs in a full shoe (default: 8)")
    parser.add_argument(
        "--seen", metavar="FILE", help="cards that have left the shoe, as a deal script; - for stdin"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
    parser.add_argument("--tiger-pair-top", choices=choices("tiger_pair_top"), default="identical", help="four alike")
    parser.add_argument("--natural-bets", choices=choices("natural_bets"), default="must-win", help="beaten naturals")


def run(arguments: argparse.Namespace) -> int:
    """Write the odds; 0. Raises OddsError for cards no shoe holds or too few, ScriptError for the file."""
    game = GAMES[House().game]
    assert game.odds is not None
    terms = game.terms(tiger_pair_top=arguments.tiger_pair_top, natural_bets=arguments.natural_bets)
    seen, odds = _seen(arguments.seen) if arguments.seen else [], game.odds()
    if arguments.json:
        sys.stdout.buffer.write(msgspec.json.encode(odds.of(arguments.decks, seen, terms)) + b"\n")
    else:
        print("\n".join(odds.table(arguments.decks, seen, terms)))
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
