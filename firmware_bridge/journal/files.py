"""The files of the journal, and their names."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SUFFIX: Final = ".journal"


def file_name(journal: str) -> str:
    """The file of a journal id: `3-9f8a7c` is `00000003-9f8a7c.journal`."""
    number, nonce = journal.split("-", 1)
    return f"{int(number):08d}-{nonce}{SUFFIX}"


def journal_id(path: Path) -> str:
    """The inverse of `file_name`."""
    number, nonce = path.stem.split("-", 1)
    return f"{int(number)}-{nonce}"


def journal_files(directory: Path) -> list[Path]:
    """The journal files, oldest first; a copy that somebody named otherwise is none."""
    return sorted(directory.glob(f"[0-9]*-*{SUFFIX}"))
