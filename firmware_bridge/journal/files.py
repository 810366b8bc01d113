"""The files of the journal, and their names."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

SUFFIX: Final = ".journal"

_NAME: Final = re.compile(rf"\d{{8,}}-[0-9a-f]+{re.escape(SUFFIX)}")


def file_name(journal: str) -> str:
    """The file of a journal id: `3-9f8a7c` is `00000003-9f8a7c.journal`."""
    number, nonce = journal.split("-", 1)
    return f"{int(number):08d}-{nonce}{SUFFIX}"


def journal_id(path: Path) -> str:
    """The inverse of `file_name`."""
    number, nonce = path.stem.split("-", 1)
    return f"{int(number)}-{nonce}"


def journal_files(directory: Path) -> list[Path]:
    """The journal files, oldest first; a copy that somebody named otherwise, a folder and a pipe are none.

    Raises OSError for a directory that cannot be read.
    """
    try:
        with os.scandir(directory) as found:
            names = [each.name for each in found if each.is_file(follow_symlinks=False)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [directory / name for name in sorted(filter(_NAME.fullmatch, names))]
