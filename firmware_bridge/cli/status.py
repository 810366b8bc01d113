"""`shoe status`: prints the running daemon's status once."""

import argparse
import json

from firmware_bridge.cli.daemon_socket import ask, config_option, socket_path
from firmware_bridge.cli.watch.screen import screen
from firmware_bridge.facts.printable import escaped_json


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe status`."""
    config_option(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Prints one screen; 0. Raises NoDaemon."""
    status = ask(socket_path(arguments.config), {"do": "status"})
    as_json = escaped_json(json.dumps(status, ensure_ascii=False))
    print(as_json if arguments.json else "\n".join(screen(status)))
    return 0
