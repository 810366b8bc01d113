"""The command `shoe`: finds the command's own module and says errors in one line."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import Final

from firmware_bridge import __version__
from firmware_bridge.errors import BridgeError, ConfigError

COMMANDS: Final = {
    "run": "the daemon (headless, under systemd)",
    "demo": "a whole table, everything simulated",
    "replay": "a deal script or a journal as MQTT messages",
    "do": "give an order at the table",
    "enter": "enter a card that was not read (two people)",
    "status": "what the running daemon knows",
    "watch": "the same, live",
    "check": "everything that can be wrong with this machine",
    "journal": "the record: list, show, verify, export",
}
"""Each has a module of its name here, with `options(parser)` and `run(arguments) -> exit code`."""

FINE, FAILED, USAGE, CONFIG = 0, 1, 2, 78


def main(argv: list[str] | None = None) -> int:
    """Run a command; exit codes: 0 fine, 1 a check failed, 2 wrong usage, 78 wrong config."""
    words = sys.argv[1:] if argv is None else argv
    parser = argparse.ArgumentParser(prog="shoe", description="The card shoe of one table.")
    parser.add_argument("--version", action="version", version=f"shoe {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, text in COMMANDS.items():
        command = commands.add_parser(name, help=text, description=text)
        if name in words[:1]:  # only its own module is loaded: `shoe status` must be quick on a Pi
            import_module(f"{__name__}.{name}_").options(command)
    arguments = parser.parse_args(words)
    try:
        return int(import_module(f"{__name__}.{arguments.command}_").run(arguments))
    except ConfigError as error:
        print(f"shoe: {error}", file=sys.stderr)
        return CONFIG
    except BridgeError as error:
        print(f"shoe: {error}", file=sys.stderr)
        return FAILED
    except BrokenPipeError:
        sys.stderr.close()
        return FINE
    except KeyboardInterrupt:
        return 130
