"""`shoe watch`: what the running daemon knows and sees, live."""

import argparse
import json
import time
from pathlib import Path
from typing import Final

from firmware_bridge.cli.daemon_socket import NoDaemon, config_option, follow, socket_path
from firmware_bridge.cli.watch.screen import Status, line
from firmware_bridge.cli.watch.terminal import ENDS, cannot_draw
from firmware_bridge.facts.printable import escaped_json

AGAIN_S: Final = 1.0
"""How often a daemon that went away is looked for."""


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe watch`."""
    config_option(parser)
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="one JSON object per change, for programs")
    how.add_argument("--plain", action="store_true", help="a line per change, also on a terminal")


def run(arguments: argparse.Namespace) -> int:
    """Show every change until Ctrl-C or q, over restarts of the daemon; 0. Raises NoDaemon if none runs at first."""
    path = socket_path(arguments.config)
    try:
        if arguments.json:
            _follow(path, _Json())
        elif arguments.plain or (why := cannot_draw()) is not None:
            if not arguments.plain and why:
                print(f"{why}; {ENDS}", flush=True)
            _follow(path, _Lines())
        else:
            _watch(path)
    except KeyboardInterrupt:
        pass
    return 0


def _watch(path: Path) -> None:
    from firmware_bridge.cli.watch.live import Onlooker  # here: lines need no picture

    Onlooker(path).watch()


def _follow(path: Path, show: "_Json | _Lines") -> None:
    """Show each status of the daemon, and of each daemon after it. Raises NoDaemon if there was none."""
    has_been = False
    while True:
        try:
            for status in follow(path):
                has_been = True
                show.take(status)
        except NoDaemon as error:
            if not has_been:
                raise
            show.lose(error.what)
        time.sleep(AGAIN_S)


class _Json:
    """Prints each status; `{"daemon": "gone", "why": ..}` once when it goes."""

    is_gone = False

    def take(self, status: Status) -> None:
        self.is_gone = False
        print(escaped_json(json.dumps(status, ensure_ascii=False)), flush=True)

    def lose(self, why: str) -> None:
        if not self.is_gone:
            self.is_gone = True
            print(json.dumps({"daemon": "gone", "why": why}, ensure_ascii=False), flush=True)


class _Lines:
    """Prints a line with the time when it differs from the one before."""

    last = ""

    def take(self, status: Status) -> None:
        self._print(line(status))

    def lose(self, why: str) -> None:
        self._print(f"no daemon: {why}; waiting for it")

    def _print(self, text: str) -> None:
        if text != self.last:
            self.last = text
            print(time.strftime("%H:%M:%S"), text, flush=True)
