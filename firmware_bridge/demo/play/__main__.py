"""Plays given rounds: `python -m firmware_bridge.demo.play GAME [FILE]`, a JSON object a line in, one out for each."""

from __future__ import annotations

import argparse
import sys
from codecs import BOM_UTF8
from typing import BinaryIO

import msgspec

from firmware_bridge.demo.play.line import LineError, answer
from firmware_bridge.games import GAMES

FINE, FAILED, USAGE = 0, 1, 2


def main(argv: list[str] | None = None) -> int:
    """Answer every line; 1 if one of them was no round or comparison of the game, which is said with its number."""
    parser = argparse.ArgumentParser(prog="play", description="Given rounds through the real shoe, step by step.")
    parser.add_argument("game", choices=[name for name, game in GAMES.items() if game.summary])
    parser.add_argument("file", nargs="?", help="a JSON object a line; without it standard input")
    arguments = parser.parse_args(argv)
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
            told = msgspec.json.encode(answer(game, line))
        except LineError as error:
            print(f"play: line {number}: {error}", file=sys.stderr)
            code = FAILED
            continue
        sys.stdout.buffer.write(told + b"\n")
        sys.stdout.buffer.flush()
    return code


if __name__ == "__main__":
    sys.exit(main())
