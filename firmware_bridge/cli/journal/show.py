"""`shoe journal show`: what is in a journal, without sealed cards."""

from __future__ import annotations

import argparse
import re
import sys

import msgspec

from firmware_bridge.cli.journal.words import lines_of
from firmware_bridge.errors import JournalError
from firmware_bridge.facts.printable import escaped_json
from firmware_bridge.journal.files import chosen
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.walk import Walk

_encode = msgspec.json.Encoder().encode


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe journal show`."""
    parser.add_argument("journal", nargs="?", metavar="JOURNAL", help="file, id or number (default: the newest)")
    parser.add_argument("--seq", type=_range, default=(1, sys.maxsize), metavar="A-B", help="these entries only")
    parser.add_argument("--json", action="store_true", help="one JSON object per entry, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Show the entries; 0. Raises JournalError at the first line that cannot be trusted, and where there is none."""
    path = chosen(arguments.dir, [arguments.journal] if arguments.journal else [])[-1]
    first, last = arguments.seq
    walk, shown = Walk(path.name), 0
    with path.open("rb") as file:
        for line in walk.lines(file):
            if line.public.seq > last:
                break
            if line.public.seq >= first:
                _show(line, arguments.json)
                shown += 1
    if not shown:
        have = f"it has 1 to {walk.count}" if walk.count else "its first line is unfinished"
        raise JournalError(f"{path.name} has no entry {first} or later", have)
    return 0


def _show(line: Line, as_json: bool) -> None:
    """The public part; what is sealed is not in it."""
    if as_json:
        shown = {"chain": line.chain} | msgspec.json.decode(_encode(line.public))
        print(escaped_json(_encode(shown).decode()))
    else:
        print("\n".join(lines_of(line.public)))


def _range(text: str) -> tuple[int, int]:
    """`5-9`, `5-` or `5`."""
    found = re.fullmatch(r"(\d{1,9})(-(\d{1,9})?)?", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is no range of entries: write 5-9, 5- or 5")
    first = int(found[1])
    last = int(found[3]) if found[3] else sys.maxsize if found[2] else first
    if last < first:
        raise argparse.ArgumentTypeError(f"{text!r} ends before it begins: write the smaller number first")
    return first, last
