"""When the reader of a table was understood last, as its journals have it."""

from pathlib import Path
from typing import Final

from msgspec import UNSET, UnsetType

from firmware_bridge.errors import JournalError
from firmware_bridge.facts import events, inputs
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.line import Line
from firmware_bridge.journal.reader import Place, read_lines

FILES: Final = 3
"""Newest files that are looked at: a reader that said nothing in three shoes may as well be another one."""


def last_heard(directory: Path, config: str) -> int | None:
    """The time (ms since 1970) of the last card that the reader read under this config, None where there is none.

    config: the digest in `Code` of the config that is in use. An unread card counts for nothing.
    """
    for path in reversed(journal_files(directory)[-FILES:]):
        try:
            if at := _in_file(path, config):
                return at
        except (JournalError, OSError):  # deleted, or an export: the reader speaks again with the next card
            return None
    return None


def _in_file(path: Path, config: str) -> int | None:
    code: inputs.Code | UnsetType = UNSET
    at = None
    for line, _ in read_lines(Place(path, 0)):
        code = _code(line) or code
        if line.entry and _is_readers(line.entry.input) and (code is UNSET or code.config == config):
            at = line.entry.input.at
    return at


def _code(line: Line) -> inputs.Code | UnsetType:
    """The code that runs from this line on, where it says so."""
    if line.entry is None:
        return UNSET
    if isinstance(line.entry.input, inputs.Started):
        return line.entry.input.code
    found = (each.device.code for each in line.entry.events if isinstance(each, events.ShoeOpened) and each.device)
    return next(found, UNSET)


def _is_readers(fact: inputs.AnyInput) -> bool:
    """Whether the reader was understood."""
    if isinstance(fact, inputs.CutCardSeen):
        return fact.by == "reader"
    return isinstance(fact, inputs.CardRead | inputs.ReaderJudged | inputs.ReaderBooted)
