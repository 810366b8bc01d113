"""How long journals are kept: by days and size, never at the cost of what was not sent."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import file_name, journal_files

DAY_S: Final = 86_400
KEEP_ALWAYS: Final = 2
"""The newest files: the present shoe, and the one its chain begins at."""


def expired(directory: Path, acked: Cursor | None, now_s: float, keep_days: int, max_mb: int | None) -> list[Path]:
    """The journal files that may go: sent, and older than `keep_days` or beyond `max_mb` megabytes in all.

    `now_s`: seconds since 1970. A clock that has not been set yet (a Pi has none at boot) expires nothing.
    """
    if acked is None:
        return []
    every = journal_files(directory)
    sent = [path for path in every[:-KEEP_ALWAYS] if path.name < file_name(acked.journal)]
    old = [path for path in sent if path.stat().st_mtime < now_s - keep_days * DAY_S]
    if max_mb is None:
        return old
    size = sum(path.stat().st_size for path in every if path not in old)
    for path in sent:
        if size <= max_mb * 1_000_000:
            break
        if path not in old:
            old.append(path)
            size -= path.stat().st_size
    return old


def expire(paths: list[Path]) -> None:
    """Delete journal files, oldest first."""
    for path in sorted(paths):
        path.unlink(missing_ok=True)
