"""`shoe help`: the documents that came with this program, by topic; also as manual pages and for the shell."""

from __future__ import annotations

import argparse
import shutil
import sys
import textwrap
from collections.abc import Iterator
from typing import Final

from firmware_bridge.errors import BridgeError

MANUALS: Final = ("shoe.1", "bridge.toml.5")


class NoTopic(BridgeError, LookupError):
    """Nothing is written about that."""


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe help`."""
    parser.add_argument("topic", nargs="*", metavar="TOPIC", help="a document, a chapter, an alarm, a key or a command")
    parser.add_argument("--man", choices=MANUALS, help="write a manual page")
    parser.add_argument("--completion", choices=("bash",), help="write the completion of commands for a shell")


def run(arguments: argparse.Namespace) -> int:
    """Print what is written about a topic, or which topics there are; 0. Raises NoTopic."""
    if arguments.completion:
        from firmware_bridge.cli.help.completion import bash

        sys.stdout.write(bash())
    elif arguments.man:
        from firmware_bridge.cli.help import man

        sys.stdout.write(man.shoe() if arguments.man == MANUALS[0] else man.bridge_toml())
    else:
        print("\n".join(_folded(_told(" ".join(arguments.topic)).splitlines())))
    return 0


def _folded(lines: list[str]) -> Iterator[str]:
    """Long lines folded to the width of the terminal, where the output is one."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    for line in lines:
        indent = " " * (len(line) - len(line.lstrip(" ")) + 2)
        yield from textwrap.wrap(line, width, subsequent_indent=indent) if 0 < width < len(line) else [line]


def _told(topic: str) -> str:
    from firmware_bridge.cli import COMMANDS, parser_of
    from firmware_bridge.cli.help import pages

    if not topic:
        return pages.contents()
    if told := pages.exactly(topic):
        return told
    if topic in COMMANDS:
        return parser_of([topic]).parse_args([topic, "--help"])  # type: ignore[return-value]  # argparse prints and ends
    if told := pages.about(topic):
        return told
    raise NoTopic(f"nothing is written about {topic!r}", pages.near(topic))
