"""Checks of the journal: whether a start of the daemon would refuse it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from firmware_bridge.cli.check.finding import Finding, Machine
from firmware_bridge.errors import JournalError
from firmware_bridge.journal.cursor import read_cursor
from firmware_bridge.journal.trusted import refusal, verify_newest


def journal(machine: Machine) -> Iterator[Finding]:
    """Whether the record is whole, as far as a start reads it: the newest shoe, and what was not delivered."""
    directory = Path(machine.config.journal.dir)
    if not directory.is_dir():
        return  # what the disk says of it is said there
    try:
        newest = verify_newest(directory, read_cursor(directory / "cursor"))
    except PermissionError:
        raise
    except (JournalError, OSError) as error:
        refused = refusal(error, directory)
        yield Finding("FAIL", "journal", refused.what, refused.hint)
    else:
        if newest:
            yield Finding("OK", "journal", f"{newest.name} is whole")
