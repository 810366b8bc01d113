"""A progress bar on stderr, for people who wait."""

from __future__ import annotations

import os
import shutil
import sys
from time import monotonic
from typing import Final, Self

CANNOT_MOVE: Final = ("", "dumb", "unknown")
"""Values of TERM for terminals whose cursor cannot be moved."""

WAIT_S: Final = 2.0
"""Seconds until a command is one that takes long."""

EVERY_S: Final = 0.1

WIDTH: Final = 40
"""Columns of the bar itself, at most."""

_TO_BEGIN: Final = "\r\x1b[K"


class Bar:
    """Tells how far a command is and how long it still takes; a context. It is drawn where stderr is a terminal.

    what: what is done with the bytes, as a past participle. total: how many there are, 0 where nobody knows. It
    appears after 2 s, and is gone at the end.
    """

    def __init__(self, what: str, total: int = 0, shown: bool = True) -> None:
        self.done = 0
        self._what, self._total = what, total
        self._is_shown = shown and sys.stderr.isatty() and os.environ.get("TERM", "") not in CANNOT_MOVE
        self._is_drawn = False
        self._begun = monotonic()
        self._next = self._begun + WAIT_S

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.clear()

    def reach(self, done: int) -> None:
        """So many bytes are done."""
        self.done = done
        if self._is_shown and (now := monotonic()) >= self._next:
            self._next = now + EVERY_S
            self._is_drawn = True
            print(_TO_BEGIN + self._text(now - self._begun), end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Make room for a line of text."""
        if self._is_drawn:
            self._is_drawn = False
            print(_TO_BEGIN, end="", file=sys.stderr, flush=True)

    def _text(self, passed_s: float) -> str:
        if not 0 < self.done <= self._total:
            return f"{self._what} {self.done / 1e6:.1f} MB"
        share = self.done / self._total
        left_s = round(passed_s / share - passed_s)
        before, behind = f"{self._what} {share:4.0%} ", f" {left_s // 60}:{left_s % 60:02} left"
        room = shutil.get_terminal_size().columns - 1
        width = max(0, min(WIDTH, room - len(before + behind)))
        full = round(width * share)
        return f"{before}{'#' * full}{'-' * (width - full)}{behind}"[:room]
