"""`shoe status`: prints the running daemon's status once."""

import argparse
import json

from firmware_bridge.cli.daemon_socket import ask, config_option, socket_path
from firmware_bridge.cli.watch.language import language, language_option, translated
from firmware_bridge.cli.watch.machine import Status
from firmware_bridge.cli.watch.screen import screen, standing
from firmware_bridge.config.arguments import Exit
from firmware_bridge.config.streams import print_json
from firmware_bridge.topics.texts import Language


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe status`."""
    config_option(parser)
    parser.add_argument("--exit-code", action="store_true", help="0 in order or play goes on, 1 stopped, 3 no daemon")
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
    language_option(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print one screen; return 0, with --exit-code 1 if the table cannot be dealt at. Raises NoDaemon."""
    status = ask(socket_path(arguments.config), {"do": "status"})
    if arguments.json:
        print_json(json.dumps(status, ensure_ascii=False))
    else:
        _show(status, language(arguments.lang, arguments.config))
    is_dealt = standing(status) in ("in_order", "goes_on")
    return Exit.FINE if is_dealt or not arguments.exit_code else Exit.FAILED


def _show(status: Status, lang: Language) -> None:
    from rich.text import Text  # imported here: without a daemon nothing is drawn

    from firmware_bridge.config.layout import GREEN, RED, YELLOW, labelled, show

    verdict, *lines = screen(translated(status, lang), lang)
    colours = {"in_order": GREEN, "goes_on": YELLOW, "calibration": YELLOW}
    first = Text(verdict, f"bold {colours.get(standing(status), RED)}")
    show(first)
    for line in lines:
        show(Text(line, RED) if line.startswith("! ") else labelled(line) if line.startswith("  ") else Text(line))
    if status["alarm"]["open"]:  # the first line has scrolled away
        show(first)
