"""`shoe enter`: two people say which card was not read."""

from __future__ import annotations

import argparse

from firmware_bridge.cli.order import give, order_options
from firmware_bridge.facts.cards import Card


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe enter`."""
    parser.add_argument("card", type=_card, metavar="CARD", help="rank then suit: As, Td, 9c, Kh")
    parser.add_argument("--second", required=True, metavar="NAME", help="who saw the card too")
    order_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Enter the card; 0 if it was taken, 1 if not. Raises NoDaemon."""
    return give(arguments, "enter", {"card": arguments.card.value, "second": arguments.second})


def _card(text: str) -> Card:
    try:
        return Card(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no card: write rank then suit: As, Td, 9c, Kh") from None
