"""`shoe journal export`: a journal for people outside, which verifies and holds no sealed card."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.files import chosen
from firmware_bridge.journal.line import without_sealed
from firmware_bridge.journal.walk import Walk


def options(parser: argparse.ArgumentParser) -> None:
    """The options of `shoe journal export`."""
    parser.add_argument("journal", metavar="JOURNAL", help="file, id or number")
    parser.add_argument("-o", "--output", type=Path, metavar="FILE", help="(default: stdout)")


def run(arguments: argparse.Namespace) -> int:
    """Write the export; 0. Raises JournalError at the first line that cannot be trusted: nothing is written then."""
    (path,) = chosen(arguments.dir, [arguments.journal])
    walk = Walk(path.name)
    with path.open("rb") as file, _output(arguments.output, path) as out:
        for line in walk.lines(file):
            out.write(without_sealed(line))
    print(f"{walk.count} entries exported, head {walk.count}:{walk.chain}", file=sys.stderr)
    return 0


@contextmanager
def _output(target: Path | None, source: Path) -> Iterator[BinaryIO]:
    """Where the export goes; a file appears whole or not at all."""
    if target is None:
        yield sys.stdout.buffer
        return
    if target.resolve().parent == source.resolve().parent:
        raise JournalError(f"{target} is among the journals", "export to another directory: the daemon owns this one")
    fresh = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        with fresh.open("wb") as out:
            yield out
        fresh.replace(target)
    except OSError as error:
        raise JournalError(f"{target} cannot be written ({error.strerror})", "name another place with -o") from None
    finally:
        fresh.unlink(missing_ok=True)
