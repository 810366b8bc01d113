"""`shoe enter`: two people enter a card that was not read."""

import argparse
from typing import Final

from firmware_bridge.cli.daemon_socket import give, order_options
from firmware_bridge.facts.cards import Card

RANKS: Final = {"10": "T"}
SUITS: Final = dict(zip("♠♥♦♣♤♡♢♧", "shdcshdc", strict=True))
"""Signs people write for a suit."""


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe enter`."""
    parser.add_argument("card", type=_card, metavar="CARD", help="rank then suit: As, Td, 9c, Kh")
    parser.add_argument("--second", required=True, metavar="NAME", help="the second person who saw the card")
    order_options(parser)


def run(arguments: argparse.Namespace) -> int:
    """Enters the card; 0 if accepted, 1 if refused. Raises NoDaemon."""
    return give(arguments, "enter", {"card": arguments.card.value, "second": arguments.second})


def _card(text: str) -> Card:
    """A card in any usual spelling: `Kc`, `kc`, `KC`, `10c`, `K♣`."""
    plain = text.replace("\ufe0f", "")  # variation selector that makes a sign an emoji
    rank, suit = plain[:-1], plain[-1:]
    as_written = RANKS.get(rank, rank.upper()) + SUITS.get(suit, suit.lower())
    known = {card.value: card for card in Card}
    if card := known.get(text) or known.get(as_written):
        return card
    raise argparse.ArgumentTypeError(f"{text!r} is not a card: write rank then suit: As, Td, 9c, Kh")
