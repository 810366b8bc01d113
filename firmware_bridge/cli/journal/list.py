"""`shoe journal list`: the journals of a table, one per shoe."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from firmware_bridge.cli.journal.show import local
from firmware_bridge.errors import JournalError
from firmware_bridge.facts.printable import escaped
from firmware_bridge.journal.cursor import Cursor, read_cursor
from firmware_bridge.journal.files import file_name, files_in, journal_id
from firmware_bridge.journal.filled import content_size, is_fill
from firmware_bridge.journal.line import Line, NotWhole, unseal

TAIL: Final = 65_536
"""Bytes read from the end of a file: its last line is in there."""


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe journal list`."""
    parser.add_argument("--json", action="store_true", help="one JSON object per journal, for programs")


def run(arguments: argparse.Namespace) -> int:
    """List them, oldest first; 0. Raises JournalError if the directory cannot be read."""
    files = files_in(arguments.dir)
    cursor = read_cursor(arguments.dir / "cursor")
    rows = [_row(path, cursor) for path in files]
    for row in rows:
        print(json.dumps(row) if arguments.json else escaped(_text(row)))
    if not rows:
        print(f"no journal in {arguments.dir}", file=sys.stderr)
    if rows and not arguments.json and rows[-1]["head"]:
        print(f"head {rows[-1]['head']}")
    return 0


def _row(path: Path, cursor: Cursor | None) -> dict[str, Any]:
    """First and last line of a journal; its middle is left to `verify`."""
    first, last, fault = None, None, None
    try:
        first, last = _ends(path)
    except (JournalError, OSError) as error:
        fault = str(error)
    return {
        "journal": journal_id(path),
        "entries": last.public.seq if last else 0,
        "from": first.public.at if first else None,
        "to": last.public.at if last else None,
        "bytes": content_size(path),
        "delivered": _delivered(path, last, cursor),
        "head": f"{last.public.seq}:{last.chain}" if last else None,
        "fault": fault,
    }


def _ends(path: Path) -> tuple[Line | None, Line | None]:
    """The first and the last whole line; nothing in a file whose first line is unfinished."""
    with path.open("rb") as file:
        first = file.readline()
        if not first.endswith(b"\n") or is_fill(first):
            return None, None
        end = content_size(path)
        file.seek(max(0, end - TAIL))
        whole = [data for data in file.read(TAIL).split(b"\n") if not is_fill(data)]
    return unseal(first), _last(whole)


def _last(whole: list[bytes]) -> Line:
    """The last line, or the one before where it is not whole: the daemon may be writing it."""
    try:
        return unseal(whole[-1] + b"\n")
    except NotWhole:
        if len(whole) < 2:
            raise
        return unseal(whole[-2] + b"\n")


def _delivered(path: Path, last: Line | None, cursor: Cursor | None) -> int:
    """Entries the broker has acknowledged."""
    if cursor is None or last is None or path.name > file_name(cursor.journal):
        return 0
    return cursor.seq if path.name == file_name(cursor.journal) else last.public.seq


def _text(row: dict[str, Any]) -> str:
    if row["fault"]:
        return f"{row['journal']:<12} {row['fault']}"
    if not row["entries"]:
        return f"{row['journal']:<12} its first line is unfinished"
    waiting = row["entries"] - row["delivered"]
    sent = f"{waiting} not delivered" if waiting else "delivered"
    size = f"{row['bytes'] / 1000:.0f} kB"
    begin, end = (local(datetime.fromisoformat(row[name])) for name in ("from", "to"))
    return f"{row['journal']:<12} {begin} to {end}  {row['entries']:>5} entries  {size:>7}  {sent}"
