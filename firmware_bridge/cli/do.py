"""`shoe do`: the orders of the topic `command`, and those that only people at the table may give."""

from __future__ import annotations

import argparse
from typing import Any, Final, get_args

from firmware_bridge.cli.order import give, order_options
from firmware_bridge.facts.house import Choice

ORDERS: Final[dict[str, str]] = {
    "open-shoe": "a shuffled shoe is on the table",
    "close-shoe": "no more rounds from this shoe",
    "bets-open": "bets may be placed again",
    "bets-closed": "no more bets: the round may be dealt",
    "next": "the dealer's NEXT key",
    "reveal": "open sealed cards: the next step, or the slots named",
    "fly": "deal this round without a bet and open it at once",
    "request-shoe-change": "the guest asks for another shoe",
    "request-dealer-change": "the guest asks for another dealer",
    "dealer": "a dealer signs in",
    "void": "the open round counts for nothing",
    "resolve": "the floor's decision about an open irregularity (see `shoe status`)",
    "correct": "the floor says what the cards of a closed round were",
    "resend": "send messages again: a part of a journal, or all since a time",
    "take-back": "end a calibration that its technician does not end",
}

WITHOUT_ARGUMENTS: Final = (
    "bets-open",
    "bets-closed",
    "next",
    "fly",
    "request-shoe-change",
    "request-dealer-change",
    "take-back",
)


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe do`."""
    orders = parser.add_subparsers(dest="do", metavar="ORDER", required=True)
    for name, text in ORDERS.items():
        order = orders.add_parser(name, help=text, description=text)
        _ARGUMENTS.get(name, _none)(order)
        order_options(order)


def run(arguments: argparse.Namespace) -> int:
    """Give the order; 0 if it was obeyed, 1 if not. Raises NoDaemon."""
    return give(arguments, arguments.do, _fields(arguments))


def _fields(arguments: argparse.Namespace) -> dict[str, Any]:
    """What the order says, without what was not given."""
    if arguments.do in WITHOUT_ARGUMENTS:
        return {}
    names = ("dealer", "confirmed_by", "why", "irregularity", "choice", "journal", "from", "to", "since")
    fields = {name: getattr(arguments, name, None) for name in names}
    pack = {name: getattr(arguments, name, None) for name in ("lot", "decks")}
    fields["round"], fields["slots"] = getattr(arguments, "round", None), getattr(arguments, "slots", None) or None
    if text := getattr(arguments, "cards", None):
        text = "".join(text.split())
        fields["cards"] = [text[n : n + 2] for n in range(0, len(text), 2)]
    fields["pack"] = {name: value for name, value in pack.items() if value is not None} or None
    return {name: value for name, value in fields.items() if value is not None}


def _none(_: argparse.ArgumentParser) -> None:
    pass


def _open_shoe(order: argparse.ArgumentParser) -> None:
    order.add_argument("--lot", type=int, metavar="N", help="the packs' lot number (default: the first card's)")
    order.add_argument("--decks", type=int, metavar="N", help="packs in the shoe (default: the table's)")
    order.add_argument("--dealer", metavar="NAME")
    order.add_argument("--confirmed-by", metavar="NAME", help="the pit boss who stands for the shuffle")


def _close_shoe(order: argparse.ArgumentParser) -> None:
    order.add_argument("--why", metavar="TEXT")


def _reveal(order: argparse.ArgumentParser) -> None:
    order.add_argument("slots", nargs="*", metavar="SLOT", help="P1, B1 .. (default: the next step)")


def _dealer(order: argparse.ArgumentParser) -> None:
    order.add_argument("dealer", metavar="NAME")


def _correct(order: argparse.ArgumentParser) -> None:
    order.add_argument("round", type=int, metavar="ROUND")
    order.add_argument("cards", metavar="CARDS", help="in the order dealt, P1 B1 P2 B2 then thirds: 9sKdThKc")
    order.add_argument("--why", metavar="TEXT", required=True)


def _void(order: argparse.ArgumentParser) -> None:
    order.add_argument("--why", metavar="TEXT", required=True)


def _resolve(order: argparse.ArgumentParser) -> None:
    order.add_argument("irregularity", metavar="ID", help="as `shoe status` names it")
    order.add_argument("choice", choices=get_args(Choice), metavar="CHOICE", help=", ".join(get_args(Choice)))
    order.add_argument("--why", metavar="TEXT")


def _resend(order: argparse.ArgumentParser) -> None:
    which = order.add_mutually_exclusive_group(required=True)
    which.add_argument("--journal", metavar="ID", help="as `shoe journal list` names it")
    which.add_argument("--since", metavar="TIME", help="like 2026-11-20T21:33:05Z")
    order.add_argument("--from", type=int, metavar="SEQ", help="its first entry (default 1)")
    order.add_argument("--to", type=int, metavar="SEQ", help="its last entry (default: all)")


_ARGUMENTS: Final = {
    "open-shoe": _open_shoe,
    "close-shoe": _close_shoe,
    "reveal": _reveal,
    "dealer": _dealer,
    "correct": _correct,
    "void": _void,
    "resolve": _resolve,
    "resend": _resend,
}
