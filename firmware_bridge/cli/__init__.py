"""The command `shoe`: loads the command's module and prints errors in one line."""

import argparse
import gc
import sys
from collections.abc import Collection
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Final

from firmware_bridge.config.arguments import Exit, Parser, installed
from firmware_bridge.config.plain import warn
from firmware_bridge.config.streams import outlived
from firmware_bridge.config.version import Version
from firmware_bridge.errors import BridgeError, ConfigError, UsageError

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
    "key": "the key that signs the record: make, show or change it",
    "record": "begin another signed record, between shoes",
    "tls": "trust the broker of a small house",
    "bundle": "verify the next version by the keys of this one, and install it",
    "schema": "all messages as JSON Schema, AsyncAPI or Markdown",
    "help": "read the documents: a chapter, an alarm, a config key",
}
"""Command -> help text; each has a module of its name here with `options(parser)` and `run(arguments) -> exit code`."""

FINE, FAILED, USAGE, NO_DAEMON = Exit.FINE, Exit.FAILED, Exit.USAGE, Exit.NO_DAEMON
CONFIG, INTERRUPTED = Exit.CONFIG, Exit.INTERRUPTED

COLLECT_AFTER: Final = 20_000
"""New objects between two garbage collections; Python's 700 would collect in the middle of every card."""


def main(argv: list[str] | None = None) -> int:
    """Run a command; return its exit code, one of `Exit`."""
    gc.set_threshold(COLLECT_AFTER)
    words = _as_typed(sys.argv[1:] if argv is None else argv)
    with outlived() as output, installed("shoe"):
        arguments = parser_of(words[:1]).parse_args(words)
        output.is_all = arguments.command in ENDLESS
        try:
            code = int(import_module(f"{__name__}.{arguments.command}").run(arguments))
            sys.stdout.flush()
            return FAILED if output.is_cut and code == FINE and _is_export(arguments) else code
        except BridgeError as error:
            name = f"shoe {arguments.command}" if isinstance(error, UsageError) else "shoe"
            warn(f"{name}: {_in_language(arguments, error)}")
            return _code_of(error)
        except BrokenPipeError:  # a reader such as `| head` has seen enough of what has no end
            return FINE
        except KeyboardInterrupt:
            output.interrupt()
            return INTERRUPTED


ENDLESS: Final = ("demo", "replay", "watch")
"""Commands that end when the reader of their output goes; the others go on to their exit code."""


def _is_export(arguments: argparse.Namespace) -> bool:
    return (arguments.command, getattr(arguments, "action", "")) == ("journal", "export")


SPEAKING: Final = ("do", "enter", "status", "watch")
"""Commands with errors in the language of the table."""


def _in_language(arguments: argparse.Namespace, error: BridgeError) -> str:
    if arguments.command not in SPEAKING:
        return of_disk(error) or str(error)
    from firmware_bridge.cli.watch.language import language  # imported here: most commands speak English
    from firmware_bridge.topics.texts.phrases import in_words, joined

    lang = language(arguments.lang, arguments.config)
    return joined(lang, *(in_words(lang, each) for each in (error.what, error.hint)))


def of_disk(error: Exception) -> str:
    """Return the sentence of an error of the journal's disk, "" for any other."""
    from firmware_bridge.daemon.table.disk_outage import words  # imported here: most commands end without an error
    from firmware_bridge.facts.book.failures import DiskError
    from firmware_bridge.journal.preallocate import SyncFailed

    match error:
        case SyncFailed():
            return words(error.error)
        case DiskError():
            return words(error)
    return ""


def _code_of(error: BridgeError) -> Exit:
    from firmware_bridge.cli.daemon_socket import NoDaemon  # imported here: most commands never ask a daemon

    codes = {UsageError: USAGE, ConfigError: CONFIG, NoDaemon: NO_DAEMON}
    return next((code for kind, code in codes.items() if isinstance(error, kind)), FAILED)


def parser_of(known: Collection[str]) -> argparse.ArgumentParser:
    """Return the parser of `shoe`, with options of only the commands `known`: no other module is loaded."""
    speaks = bool(known) and next(iter(known)) in SPEAKING
    parser = (_Translated if speaks else Parser)(prog="shoe", description="The card shoe of one table.")
    parser.add_argument("--version", action=Version)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        if name in known:
            import_module(f"{__name__}.{name}").options(command)
    return parser


class _Translated(Parser):
    """Parser of a command that speaks the language of the table: its mistakes are in the one of `--lang`, or LANG."""

    @staticmethod
    def worded(mistake: str, see: str) -> str:
        from firmware_bridge.cli.daemon_socket import DEFAULT_CONFIG
        from firmware_bridge.cli.watch.language import language
        from firmware_bridge.topics.texts.phrases import in_words, joined

        lang = language(_given("--lang"), Path(_given("--config") or DEFAULT_CONFIG))
        if lang == "en":
            return Parser.worded(mistake, see)
        return joined(lang, *(in_words(lang, each) for each in (mistake.removeprefix("argument "), see)))


def _given(option: str) -> str | None:
    """Return the value of an option among the words of the command line, as far as it is there."""
    words = [part for word in sys.argv[1:] for part in word.split("=", 1)]
    return next((value for name, value in pairwise(words) if name == option), None)


def _as_typed(words: list[str]) -> list[str]:
    """Return the words, with the order of `shoe do` as its parser names it: `bets_closed` is `bets-closed`."""
    if words[:1] != ["do"]:
        return words
    place = next((n for n, word in enumerate(words[1:], 1) if not word.startswith("-")), len(words))
    return [word.replace("_", "-") if n == place else word for n, word in enumerate(words)]
