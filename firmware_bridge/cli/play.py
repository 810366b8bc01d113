"""`shoe play`: plays given rounds through the real shoe; a JSON object a line in, one out for each."""

import argparse
import sys
from codecs import BOM_UTF8
from typing import BinaryIO

import msgspec

from firmware_bridge.cli import FAILED, FINE, USAGE
from firmware_bridge.demo.given import LineError, answer
from firmware_bridge.games import GAMES


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe play`."""
    parser.add_argument("game", choices=[name for name, game in GAMES.items() if game.demo.summary])
    parser.add_argument("file", nargs="?", help="a JSON object a line (default: standard input)")


def run(arguments: argparse.Namespace) -> int:
    """Answers every line; 1 if one was no round or comparison of the game (its number is printed)."""
    try:
        with open(arguments.file, "rb") if arguments.file else sys.stdin.buffer as lines:  # noqa: PTH123  # or stdin
            return _play(arguments.game, lines)
    except OSError as error:
        print(f"play: {error}", file=sys.stderr)
        return USAGE


def _play(game: str, lines: BinaryIO) -> int:
    code = FINE
    for number, read in enumerate(lines, 1):
        line = read.removeprefix(BOM_UTF8) if number == 1 else read
        if not line.strip():
            continue
        try:
            reply = msgspec.json.encode(answer(game, line))
        except LineError as error:
            print(f"play: line {number}: {error}", file=sys.stderr)
            code = FAILED
            continue
        sys.stdout.buffer.write(reply + b"\n")
        sys.stdout.buffer.flush()
    return code
