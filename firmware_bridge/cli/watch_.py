"""`shoe watch`: what the running daemon knows, live."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from firmware_bridge.cli.daemon_socket import config_option, follow, socket_path
from firmware_bridge.cli.screen import Status, line, screen

Show = Callable[[Status], None]


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe watch`."""
    config_option(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object per change, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Show every change until Ctrl-C; 0. Raises NoDaemon, also when the daemon ends."""
    path = socket_path(arguments.config)
    try:
        with _shown(arguments.json) as show:
            for status in follow(path):
                show(status)
    except KeyboardInterrupt:
        pass
    return 0


@contextmanager
def _shown(as_json: bool) -> Iterator[Show]:
    """What shows a status: JSON lines, a live screen on a terminal, else a line per change."""
    if as_json:
        yield lambda status: print(json.dumps(status, ensure_ascii=False), flush=True)
    elif sys.stdout.isatty() and find_spec("rich"):
        with _live() as show:
            yield show
    else:
        yield _Lines()


class _Lines:
    """Prints a line with the time when it differs from the one before."""

    last = ""

    def __call__(self, status: Status) -> None:
        if (text := line(status)) != self.last:
            self.last = text
            print(time.strftime("%H:%M:%S"), text, flush=True)


@contextmanager
def _live() -> Iterator[Show]:
    """One screen that is drawn again at each change."""
    from rich.live import Live
    from rich.text import Text

    with Live(auto_refresh=False) as live:
        yield lambda status: live.update(Text("\n".join(screen(status))), refresh=True)
