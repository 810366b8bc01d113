"""`shoe journal show`: what is in a journal, without sealed cards."""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any, Final

import msgspec

from firmware_bridge.journal.line import Line, Public
from firmware_bridge.journal.verify.chosen import chosen
from firmware_bridge.journal.walk import Walk

LENGTHY: Final = ("type", "policy", "house", "digest", "settings")
"""Fields that people are not shown (`--json` has them)."""

_DIGITS: Final = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{20,}\b")
"""Commitments and nonces, of which people are shown the beginning."""

_encode = msgspec.json.Encoder().encode


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe journal show`."""
    parser.add_argument("journal", nargs="?", metavar="JOURNAL", help="file, id or number (default: the newest)")
    parser.add_argument("--seq", type=_range, default=(1, sys.maxsize), metavar="A-B", help="these entries only")
    parser.add_argument("--json", action="store_true", help="one JSON object per entry, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Show the entries; 0. Raises JournalError at the first line that cannot be trusted."""
    path = chosen(arguments.dir, [arguments.journal] if arguments.journal else [])[-1]
    first, last = arguments.seq
    with path.open("rb") as file:
        for line in Walk(path.name).lines(file):
            if line.public.seq > last:
                break
            if line.public.seq >= first:
                _show(line, arguments.json)
    return 0


def _show(line: Line, as_json: bool) -> None:
    """The public part; what is sealed is not in it."""
    if as_json:
        shown = {"chain": line.chain} | msgspec.json.decode(_encode(line.public))
        print(_encode(shown).decode())
    else:
        print("\n".join(_lines(line.public)))


def _lines(public: Public) -> list[str]:
    """A line for each event, the first with number and time."""
    heads = [f"{public.seq:>5}  {public.at[11:23]}"] + [" " * 19] * (len(public.events) - 1)
    events = [msgspec.json.decode(raw) for raw in public.events]
    return [f"{head}  {event['type']:<18} {_words(event)}" for head, event in zip(heads, events, strict=True)]


def _words(event: dict[str, Any]) -> str:
    told = {name: value for name, value in event.items() if name not in LENGTHY and value not in (None, "", [], {})}
    words = [f"{name} {value if isinstance(value, str) else _encode(value).decode()}" for name, value in told.items()]
    return _DIGITS.sub(r"\1..", "  ".join(words))


def _range(text: str) -> tuple[int, int]:
    """`5-9`, `5-` or `5`."""
    found = re.fullmatch(r"(\d{1,9})(-(\d{1,9})?)?", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r} is no range of entries: write 5-9, 5- or 5")
    first = int(found[1])
    return first, int(found[3]) if found[3] else sys.maxsize if found[2] else first
