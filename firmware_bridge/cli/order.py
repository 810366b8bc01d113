"""Gives an order to the running daemon and tells its answer."""

from __future__ import annotations

import argparse
import json
import re
import sys
from typing import Any, Final

from firmware_bridge.cli.daemon_socket import ask, config_option, socket_path
from firmware_bridge.errors import BridgeError
from firmware_bridge.facts.printable import REMEDY, fault

_AT_THE_TABLE: Final = {
    "open_shoe": "sudo shoe do open-shoe --by NAME",
    "close_shoe": "sudo shoe do close-shoe --by NAME",
    "bets_open": "sudo shoe do bets-open --by NAME",
    "bets_closed": "sudo shoe do bets-closed --by NAME",
    "confirmed_by": "--confirmed-by NAME",
    "shoe enter": "sudo shoe enter CARD --by NAME --second NAME",
}
"""What hints call orders as the backend gives them -> how they are given here."""


class NotSent(BridgeError, ValueError):
    """An order with a text that no table takes."""


def order_options(parser: argparse.ArgumentParser) -> None:
    """The options that every order has."""
    parser.add_argument("--by", required=True, metavar="NAME", help="who gives the order; it is on record")
    config_option(parser)
    parser.add_argument("--json", action="store_true", help="the answer as one JSON object, for programs")


def give(arguments: argparse.Namespace, name: str, fields: dict[str, Any]) -> int:
    """Give the order `name` and tell the answer; 0 if it was obeyed, 1 if not. Raises NoDaemon, NotSent."""
    request = {"do": name.replace("-", "_"), "by": arguments.by, **fields}
    for field, text in request.items():
        if isinstance(text, str) and (wrong := fault(text, len(text))):
            raise NotSent(f"--{field.replace('_', '-')} {wrong}", REMEDY)
    answer = ask(socket_path(arguments.config), request)
    if arguments.json:
        print(json.dumps(answer, ensure_ascii=False))
    elif answer["ok"]:
        print(f"{name}: done" + (f"; {answer['hint']}" if answer.get("hint") else ""))
    else:
        hint = f"; {at_the_table(answer['hint'])}" if answer.get("hint") else ""
        print(f"shoe: {name} refused: {answer['error']}{hint}", file=sys.stderr)
    return 0 if answer["ok"] else 1


def at_the_table(hint: str) -> str:
    """A hint with its orders as they are given by this command."""
    return re.sub(rf"\b({'|'.join(_AT_THE_TABLE)})\b", lambda found: _AT_THE_TABLE[found[1]], hint)
