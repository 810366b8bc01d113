"""Journals of an older format: set aside with their cursor, so that a new record begins beside them."""

from __future__ import annotations

import logging
import os
import re
from pathlib import Path
from typing import Final

from firmware_bridge.journal.cursor import read_cursor
from firmware_bridge.journal.files import journal_files
from firmware_bridge.journal.line import VERSION

log = logging.getLogger(__name__)

ASIDE: Final = "v1"
"""The folder, inside that of the journals: the daemon's user may make no other."""

_FORMAT: Final = re.compile(rb"(\d{1,9})\t")


def set_aside(directory: Path) -> bool:
    """Move journals of an older format to the folder `v1` in their directory, first their cursor; whether there were.

    A power cut in the middle loses nothing: the next start goes on where this one stopped. Only one process may do so.
    Raises OSError.
    """
    if not holds_older(directory):
        return False
    files = journal_files(directory)
    aside = directory / ASIDE
    aside.mkdir(mode=0o700, exist_ok=True)
    sent = read_cursor(directory / "cursor")
    _move(directory / "cursor", aside)
    _sync(aside, directory)  # never a cursor whose journals are gone
    moved = [path for path in files if not _is_present(path)]
    for path in reversed(moved):  # a file without a beginning is the newest: it goes while the others tell its format
        _move(path, aside)
    _sync(aside, directory)
    names = f"{moved[0].name} to {moved[-1].name}"
    log.warning(
        "journals of an older format are now in %s (%s; the broker has had them %s): a new record begins",
        *(aside, names, f"up to entry {sent.seq} of {sent.journal}" if sent else "as far as the cursor there says"),
    )
    return True


def holds_older(directory: Path) -> bool:
    """Whether a start would set journals aside: the first or the last one is of an older format. Raises OSError."""
    files = journal_files(directory)
    return any(map(_is_older, files[:1] + files[-1:]))


def older_record(directory: Path) -> Path | None:
    """The folder with journals of an older format, None where there is none."""
    aside = directory / ASIDE
    return aside if journal_files(aside) else None


def _is_older(path: Path) -> bool:
    found = _FORMAT.match(_beginning(path))
    return found is not None and int(found[1]) < int(VERSION)


def _is_present(path: Path) -> bool:
    """Whether a journal is not of an older format; one without a beginning is as those beside it."""
    found = _FORMAT.match(_beginning(path))
    return found is not None and int(found[1]) >= int(VERSION)


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(10)


def _move(path: Path, aside: Path) -> None:
    """Move a file that is there; one of the same name, from another time, is kept too."""
    target, n = aside / path.name, 1
    while target.exists():
        n += 1
        target = aside / f"{path.name}.{n}"
    if path.exists():
        path.rename(target)


def _sync(*folders: Path) -> None:
    for folder in folders:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
