"""Deletes old journals by age and size, never one that was not sent."""

import time
from collections.abc import Callable
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Final

from firmware_bridge.errors import JournalError
from firmware_bridge.journal.cursor import Cursor
from firmware_bridge.journal.files import file_name, journal_files
from firmware_bridge.journal.preallocate import content_size
from firmware_bridge.journal.reader import Place, read_lines

DAY_S: Final = 86_400
KEEP_ALWAYS: Final = 2
"""Newest files to keep: the present shoe, and the one before, where its chain begins."""

LONGEST_REST_S: Final = 31 * DAY_S
"""The longest time between two shoes that counts: a longer one is probably a wrong clock."""


class Retention:
    """Deletes journals older than `keep_days` by the times in them, or beyond `max_mb` megabytes in all.

    secure: whether what must outlive a journal is on disk elsewhere; until then it stays.
    """

    def __init__(
        self, directory: Path, keep_days: int, max_mb: int | None, secure: Callable[[Path], bool] = lambda _: True
    ) -> None:
        self._secure = secure
        self._directory, self._keep_s, self._max_mb = directory, keep_days * DAY_S, max_mb
        self._began: dict[str, float | None] = {}
        self._sizes: dict[str, int] = {}

    def expire(self, stored: Cursor, is_clock_right: bool, files: list[Path] | None = None) -> Path | None:
        """Delete the oldest journal if it may be deleted, after a new one has begun; return the deleted file or None.

        stored: how far the broker has the journal, as on disk. is_clock_right: whether the clock is synchronised; if
        not, a step of more than a day between two journals counts as 0. files: all files, oldest first, where the
        caller knows them. Raises OSError.
        """
        files = journal_files(self._directory) if files is None else files
        oldest = next((path for path in files[:-KEEP_ALWAYS] if path.name < file_name(stored.journal)), None)
        if oldest is None or not (self._is_over_size(files) or self._age_s(files, is_clock_right) > self._keep_s):
            return None
        if not self._secure(oldest):
            return None
        oldest.unlink(missing_ok=True)
        self._began.pop(oldest.name, None)
        self._sizes.pop(oldest.name, None)
        return oldest

    def _is_over_size(self, files: list[Path]) -> bool:
        """Return whether all files exceed `max_mb`; space filled ahead does not count."""
        if self._max_mb is None:
            return False
        for path in files:
            if path.name not in self._sizes or path in files[-KEEP_ALWAYS:]:
                self._sizes[path.name] = _size(path)
        return sum(self._sizes[path.name] for path in files) > self._max_mb * 1_000_000

    def _age_s(self, files: list[Path], is_clock_right: bool) -> float:
        """Return the seconds since the first file ended, from the times at which the others began."""
        began = [at for at in map(self._begin_of, files[1:]) if at is not None]
        steps = [after - before for before, after in pairwise(began)]
        if is_clock_right:
            return sum(max(-LONGEST_REST_S, min(step, LONGEST_REST_S)) for step in steps)
        return sum(step for step in steps if 0 < step <= DAY_S)

    def _begin_of(self, path: Path) -> float | None:
        """Return the beginning of a journal, seconds since 1970; None for one that cannot be read."""
        if path.name not in self._began:
            try:
                first = next(read_lines(Place(path, 0)), None)
                self._began[path.name] = _seconds(first[0].public.at) if first else None
            except (JournalError, OSError):
                self._began[path.name] = None
        return self._began[path.name]


def _size(path: Path) -> int:
    """Return the bytes of records in a file, 0 for one that was removed. Raises OSError."""
    try:
        return content_size(path)
    except FileNotFoundError:
        return 0


def since(at: str) -> float:
    """Return the seconds from the time of a journal line until now by the wall clock; 0 for no line (`""`)."""
    return time.time() - _seconds(at) if at else 0.0


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()
