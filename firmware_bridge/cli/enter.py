"""`shoe enter`: two people enter a card that was not read."""

import argparse

from firmware_bridge.cli.do.order import give, order_options
from firmware_bridge.facts.cards import HINT, Card, look_alikes, read_card


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe enter`."""
    parser.add_argument("card", type=_card, metavar="CARD", help="rank and suit: As, Td, 10d, kc")
    help = "the second person who saw the card; not where he confirms it from his own login ([rights] two_people)"
    parser.add_argument("--second", default="", metavar="NAME", help=help)
    order_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Enter the card; return 0 if accepted, 1 if refused. Raises NoDaemon."""
    return give(arguments, "enter", {"card": arguments.card.value, "second": arguments.second})


def _card(text: str) -> Card:
    if card := read_card(text):
        return card
    raise argparse.ArgumentTypeError(f"{text!r}{look_alikes(text)} is not a card: {HINT}")
