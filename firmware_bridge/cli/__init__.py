"""The command `shoe`: loads the command's module and prints errors in one line."""

import argparse
import gc
import os
import sys
from collections.abc import Collection
from importlib import import_module
from typing import Final, NoReturn

from firmware_bridge import __build__, __version__
from firmware_bridge.errors import BridgeError, ConfigError
from firmware_bridge.facts.printable import did_you_mean, escaped

COMMANDS: Final = {
    "run": "the daemon (headless, under systemd)",
    "demo": "a whole simulated table",
    "replay": "a deal script or a journal as MQTT messages",
    "play": "given rounds through the real shoe, step by step",
    "roads": "roads of given outcomes or of the running shoe: drawn, JSON, SVG or PNG",
    "odds": "exact odds of every bet, for a full shoe or the rest of one",
    "do": "give an order at the table",
    "enter": "enter a card that was not read (two people)",
    "status": "status of the running daemon",
    "watch": "live status of the running daemon",
    "check": "check this machine for faults, each with its remedy",
    "config": "configuration of the table, with defaults",
    "calibrate": "measure, adjust and test reader, sensors, lamps and keys",
    "support": "write one file for a support ticket, without secrets",
    "wiring": "the wire of each pin of the header",
    "retire": "remove a retired table from the broker",
    "journal": "the record: list, show, verify or export it",
    "schema": "all messages as JSON Schema, AsyncAPI or Markdown",
    "help": "read the documents: a chapter, an alarm, a config key",
}
"""Command -> help text; each has a module of its name here with `options(parser)` and `run(arguments) -> exit code`."""

FINE, FAILED, USAGE, CONFIG, INTERRUPTED = 0, 1, 2, 78, 130


COLLECT_AFTER: Final = 20_000
"""New objects between two garbage collections; Python's 700 would collect in the middle of every card."""


class Parser(argparse.ArgumentParser):
    """Parser that reports a wrong option in one line instead of the usage."""

    def error(self, message: str) -> NoReturn:
        self.exit(USAGE, f"{self.prog}: {message}; see {self.prog} --help\n")


def main(argv: list[str] | None = None) -> int:
    """Runs a command. Exit codes: 0 fine, 1 a check failed, 2 wrong usage, 78 wrong config or a damaged journal."""
    gc.set_threshold(COLLECT_AFTER)
    words = sys.argv[1:] if argv is None else argv
    parser = parser_of(words[:1])
    _guess(parser, words)
    arguments, unknown = parser.parse_known_args(words)
    if unknown:
        arguments.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    try:
        code = int(import_module(f"{__name__}.{arguments.command}").run(arguments))
        sys.stdout.flush()
        return code
    except BridgeError as error:
        lines = f"shoe: {error}".splitlines()
        print("\n".join(map(escaped, lines)), file=sys.stderr)
        return CONFIG if isinstance(error, ConfigError) else FAILED
    except BrokenPipeError:  # a reader such as `| head` has closed the pipe: the rest goes to /dev/null
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except KeyboardInterrupt:
        return INTERRUPTED


def parser_of(known: Collection[str]) -> argparse.ArgumentParser:
    """The parser of `shoe`, with options of the commands `known` only: no other module is loaded, to be quick."""
    parser = Parser(prog="shoe", description="The card shoe of one table.")
    parser.add_argument("--version", action="version", version=f"shoe {__version__}, build {__build__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        command.set_defaults(parser=command)
        if name in known:
            import_module(f"{__name__}.{name}").options(command)
    return parser


def _guess(parser: argparse.ArgumentParser, words: list[str]) -> None:
    """Exits with a did-you-mean if the first word is no command."""
    if words and not words[0].startswith("-") and words[0] not in COMMANDS:
        parser.error(f"{words[0]!r} is not a command; {did_you_mean(words[0], COMMANDS, 'see shoe --help')}")
