"""The options of `scripts/floor`; read by a Python that has nothing installed, before anything is set up."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Final

from firmware_bridge.config.arguments import Parser, port, speed
from firmware_bridge.demo.broker import CHOICES

ABOUT: Final = "a whole floor until Ctrl-C: a broker, three simulated tables, the store, the page"

PAGE_PORT: Final = 8080
BROKER_PORT: Final = 1883

SPEED: Final = 2.0

FEWEST: Final = 3
"""Tables with a reader, which are always there: `TABLES` of floor.py."""

TROUBLED: Final = 10
"""Tables with a trouble: `TROUBLES` of trouble.py."""

MOST: Final = 100
"""Tables: more would need more descriptors than a process may open."""


def asked(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options that were given (None: to this process). Ends the process with 2 where one is wrong."""
    parser = _parser()
    options = parser.parse_args(words)
    least = FEWEST + TROUBLED * options.trouble
    options.tables = least if options.tables is None else options.tables
    if not least <= options.tables <= MOST:
        parser.error(f"--tables is {least} to {MOST}{' with --trouble' * options.trouble}")
    return options


def _parser() -> Parser:
    parser = Parser(prog="scripts/floor", description=ABOUT)
    parser.add_argument("--port", type=_port, default=PAGE_PORT, metavar="N", help="the page's (default %(default)s)")
    text = "the broker's (default %(default)s); a port in use is replaced by a free one"
    parser.add_argument("--broker-port", type=_port, default=BROKER_PORT, metavar="N", help=text)
    text = f"how many, to {MOST} (default {FEWEST}; with --trouble {FEWEST + TROUBLED})"
    parser.add_argument("--tables", type=int, metavar="N", help=text)
    parser.add_argument("--trouble", action="store_true", help="a table with each trouble: blocked, lost, forged ..")
    text = "people sign in, say who goes, and give orders"
    parser.add_argument("--people", action="store_true", help=text)
    parser.add_argument("--broker", choices=CHOICES, default="auto", help="default: mosquitto if installed")
    text = "of the dealers: 1 is human (default 2)"
    parser.add_argument("--speed", type=speed, default=SPEED, metavar="X", help=text)
    return parser


def _port(text: str) -> int:
    """Return a port, or 0 for any free one. Raises ArgumentTypeError."""
    return 0 if text == "0" else port(text)


if __name__ == "__main__":
    asked()
