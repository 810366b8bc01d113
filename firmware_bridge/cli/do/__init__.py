"""`shoe do`: the orders of the topic `command`, and those for people at the table only."""

import argparse
import re
from collections.abc import Sequence
from typing import Any, Final, get_args

from msgspec.structs import fields

from firmware_bridge.cli import FAILED
from firmware_bridge.cli.do.confirm import confirmed
from firmware_bridge.cli.do.order import give, order_options
from firmware_bridge.facts import orders
from firmware_bridge.facts.cards import HINT, look_alikes, read_cards
from firmware_bridge.facts.house import Choice
from firmware_bridge.facts.orders import Order, row_of, tag_of
from firmware_bridge.games import GAMES
from firmware_bridge.games.moves import mark_of

TAKE_BACK: Final = "take-back"
"""Order of this command only: ends a calibration that its technician does not end."""

CONFIRM: Final = "confirm"
"""Order of this command only: the second person's, where two people are two logins."""

ORDERS: Final[dict[str, type[Order]]] = {tag_of(each).replace("_", "-"): each for each in orders.ORDERS}
"""Order as typed here -> its type: the orders of the topic `command`."""

_TEXTS: Final = {
    "mark": "a seat's mark or the result of a draw: 3 raise 6, lot 3",
    "reveal": "open sealed cards: the next step, or the given slots",
    "resolve": "the pit's decision about an alarm (see shoe status)",
    TAKE_BACK: "end a calibration that its technician left open",
    CONFIRM: "confirm an order of somebody else's, from a login of your own",
}
"""Order -> help text where its docstring addresses a backend; the others use its first sentence."""

_AMOUNT: Final = re.compile(r"S?([1-9][0-9]?)=([0-9.]{1,15})")
"""Seat and amount: `3=12.5`, `S3=12.5`."""

_SEAT: Final = re.compile(r"S?([0-9]+)")
"""A seat as typed, `3`, or as lamps and messages name it, `S3`."""


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe do`."""
    names = parser.add_subparsers(dest="do", metavar="ORDER", required=True)
    for name in (*ORDERS, TAKE_BACK, CONFIRM):
        text = _TEXTS.get(name) or _first_sentence(ORDERS[name])
        order = names.add_parser(name, help=text, description=text)
        if name in ORDERS:
            _add_arguments(order, name)
        if name == CONFIRM:
            order.add_argument("number", **NUMBER, help="the number of the order, as in shoe status")
        order_options(order)
        if _asks(name):
            order.add_argument("--yes", action="store_true", help="do not ask: for scripts")


def run(arguments: argparse.Namespace) -> int:
    """Give the order; return 0 if obeyed, 1 if refused. Raises NoDaemon."""
    fields: dict[str, Any] | None = _fields(arguments)
    if _asks(arguments.do):
        fields = confirmed(arguments, arguments.do, _fields(arguments))
    return FAILED if fields is None else give(arguments, arguments.do, fields)


def _asks(name: str) -> bool:
    """Return whether an order is shown and asked about before it is given."""
    return name in ORDERS and row_of(ORDERS[name]).asks


def _first_sentence(order: type[Order]) -> str:
    text = (order.__doc__ or "").split("\n")[0].split(". ")[0].rstrip(".").replace("`", "")
    return text[:1].lower() + text[1:]


def _fields(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of the order that were given."""
    of = ORDERS.get(arguments.do)
    if arguments.do == CONFIRM:
        return {"number": arguments.number}
    given = {each.encode_name: getattr(arguments, each.encode_name, None) for each in fields(of)} if of else {}
    if of is orders.OpenShoe:
        pack = {each.name: getattr(arguments, each.name) for each in fields(orders.Pack)}
        given["pack"] = {name: value for name, value in pack.items() if value is not None} or None
    if came := given.get("cards"):
        given["cards"] = [each for words in came for each in words]
    if of is orders.BetsClosed and arguments.amounts:
        given = {"money" if arguments.money else "bets": dict(arguments.amounts)}
    return {name: value for name, value in given.items() if value not in (None, [], False)}


def _came(text: str) -> list[str]:
    """Return the cards of a text (they may be run together) and the marks between them, one a word."""
    found = []
    for word in [each for each in re.split(r"[ ,]+", text) if each] or [text]:
        cards = [card.value for card in read_cards(word)]
        if not cards and not _is_mark(word):
            raise argparse.ArgumentTypeError(f"{word!r}{look_alikes(word)} is not a card: {HINT}")
        found += cards or [word]
    return found


def _is_mark(word: str) -> bool:
    mark = mark_of(word)
    return mark is not None and any(mark.word in game.play.words for game in GAMES.values())


def _amount(text: str) -> tuple[str, str]:
    if (found := _AMOUNT.fullmatch(text)) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a seat with an amount: write 3=12.5")
    return found[1], found[2]


def seat(text: str) -> int:
    """Return the number of a seat. Raises ValueError."""
    if (found := _SEAT.fullmatch(text)) is None:
        raise ValueError(text)
    return int(found[1])


class _Amounts(argparse.Action):
    """Reads seats with their amounts, each seat once."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        seats = [seat for seat, _ in values]
        if twice := next((seat for seat in seats if seats.count(seat) > 1), None):
            raise argparse.ArgumentError(self, f"seat {twice} appears twice")
        namespace.amounts = values


class _Mark(argparse.Action):
    """Reads a mark: seat number if given, word, and value if it has one: `3 raise 6`, or `3:raise=6`."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        words: Sequence[str] = values
        if len(words) == 1 and (mark := mark_of(words[0].removeprefix("S") if ":" in words[0] else words[0])):
            words = [text for text in (mark.seat, mark.word, mark.value) if text]  # as in deal scripts: 3:raise=6
        named = _SEAT.fullmatch(words[0])
        rest = words[named is not None :]
        if not 1 <= len(rest) <= 2:
            raise argparse.ArgumentError(self, "write [SEAT] WORD [VALUE]: 3 raise 6, lot 3, S")
        namespace.seat = int(named[1]) if named else None
        namespace.word, namespace.value = rest[0], rest[1] if len(rest) > 1 else None


def _add_arguments(order: argparse.ArgumentParser, name: str) -> None:
    """Add the arguments of `_ARGUMENTS`, else an option for each text of the order: `--why TEXT`."""
    texts = {f"--{each.encode_name}": {"metavar": "TEXT", "required": each.required} for each in fields(ORDERS[name])}
    one_of = order.add_mutually_exclusive_group(required=True) if name == "resend" else order
    for word, more in _ARGUMENTS.get(name, texts).items():
        (one_of if word in WHICH else order).add_argument(word, **more)


WHICH: Final = ("--journal", "--since")
"""Options of which one is required."""

NUMBER: Final[dict[str, Any]] = {"type": int, "metavar": "N"}

SECOND: Final[dict[str, Any]] = {"metavar": "NAME", "help": "the second person, where the house asks for two"}

_ARGUMENTS: Final[dict[str, dict[str, dict[str, Any]]]] = {
    "open-shoe": {
        "--lot": NUMBER | {"help": "batch number of the packs (default: the first card's)"},
        "--decks": NUMBER | {"help": "packs in the shoe (default: the table's)"},
        "--left": NUMBER | {"help": "cards left, for a shoe already in play"},
        "--dealer": {"metavar": "NAME"},
        "--confirmed-by": {"metavar": "NAME", "help": "the pit boss who vouches for the shuffle"},
    },
    "bets-open": {},
    "next": {},
    "fly": {},
    "bets-closed": {
        "amounts": {
            "nargs": "*",
            "type": _amount,
            "action": _Amounts,
            "metavar": "SEAT=AMOUNT",
            "help": "the seats' bets, in games that need them: 1=100 3=12.5",
        },
        "--money": {"action": "store_true", "help": "the amounts are what the seats have, not their bets"},
    },
    "mark": {
        "mark": {
            "nargs": "+",
            "action": _Mark,
            "metavar": "MARK",
            "help": "[SEAT] WORD [VALUE]: 3 raise 6; without a seat the one to act, or a draw: lot 3",
        },
        "--round": NUMBER | {"help": "the round it is for (default: the present one)"},
        "--turn": NUMBER | {"help": "the question it answers (default: the present one)"},
    },
    "unmark": {
        "--seat": {"type": seat, "metavar": "N", "help": "the seat that gave it (default: any)"},
        "--round": NUMBER | {"help": "the present round (default: any)"},
        "--turn": NUMBER | {"help": "the question that is asked now (default: any)"},
    },
    "reveal": {
        "slots": {"nargs": "*", "metavar": "SLOT", "help": "slots, named like the lamps (default: the next step)"}
    },
    "dealer": {"dealer": {"metavar": "NAME"}},
    "correct": {
        "round": {"type": int, "metavar": "ROUND"},
        "cards": {
            "nargs": "+",
            "type": _came,
            "metavar": "WORD",
            "help": "all cards in the order they came, 9sKdThKc, with the marks between them, 3:raise=6",
        },
        "--missed": NUMBER | {"help": "how many of these cards were played and not seen by the reader (default: 0)"},
        "--why": {"metavar": "TEXT", "required": True},
        "--second": SECOND,
    },
    "resolve": {
        "irregularity": {"metavar": "ID", "help": "id of the alarm, as in shoe status"},
        "choice": {
            "type": lambda word: word.replace("_", "-"),
            "choices": get_args(Choice),
            "metavar": "CHOICE",
            "help": ", ".join(get_args(Choice)),
        },
        "--why": {"metavar": "TEXT"},
        "--second": SECOND,
    },
    "void": {"--why": {"metavar": "TEXT", "required": True}, "--second": SECOND},
    "resend": {
        "--journal": {"metavar": "ID", "help": "id of the journal, as in shoe journal list"},
        "--since": {"metavar": "TIME", "help": "such as 2026-11-20T21:33:05Z"},
        "--from": {"type": int, "metavar": "SEQ", "help": "its first entry (default 1)"},
        "--to": {"type": int, "metavar": "SEQ", "help": "its last entry (default: all)"},
    },
}
"""Order -> argument -> how argparse reads it."""
