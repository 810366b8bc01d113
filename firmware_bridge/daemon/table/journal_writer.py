"""Writes a table's journal: entries on the loop, files in a thread."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from typing import Final

from firmware_bridge.facts.book.failures import DiskError
from firmware_bridge.facts.book.refusals import phrase
from firmware_bridge.journal.journal import Journal
from firmware_bridge.journal.line import Line

IDLE_S: Final = 0.005
"""Seconds without an entry after which a table is idle: cards read in a row come closer together."""

PATIENCE_S: Final = 0.25
"""Seconds that the loop waits for the thread; an entry that takes longer is finished later."""


class StillWriting(DiskError):
    """The disk has not answered yet; the entry is handled further once it has."""

    def __init__(self) -> None:
        super().__init__(phrase("disk_silent"), phrase("wait_for_disk"), "disk_error")


class JournalWriter:
    """Appends entries, and prepares the files step by step whenever no entry came for `IDLE_S`.

    An entry is written on the loop, with one sync. One that begins a file, or comes while the newest file is being
    prepared, is written by the thread, behind what that does: the loop waits at most `PATIENCE_S` for it. finished:
    called on the loop once a later one is written, or failed; `result` says which.
    """

    def __init__(self, journal: Journal, finished: Callable[[], None], loop: asyncio.AbstractEventLoop) -> None:
        self._journal, self._finished, self._loop = journal, finished, loop
        self._thread = ThreadPoolExecutor(1, "journal")
        self._timer: asyncio.TimerHandle | None = None
        self._is_dealing, self._last = False, 0.0
        self._preparing: Future[None] | None = None
        self._of_newest = False
        self._writing: Future[None] | None = None
        self._is_closed = False

    def append(self, line: Line) -> None:
        """Write a line to disk. Raises what `Journal.append` does, and StillWriting; then `finished` follows."""
        if not self._journal.begins(line) and not self._is_newest_prepared():
            self._journal.append(line)
            return
        writing = self._thread.submit(self._journal.append, line)
        if not wait((writing,), PATIENCE_S).done:
            self._writing = writing
            writing.add_done_callback(lambda _: self._soon(self._finished))
            raise StillWriting
        writing.result()

    def result(self) -> None:
        """End the late entry. Raises what `Journal.append` does."""
        assert self._writing
        writing, self._writing = self._writing, None
        writing.result()

    def appended(self, is_dealing: bool) -> None:
        """Expect the next step, after each entry on disk. is_dealing: more cards will come into this journal."""
        self._is_dealing, self._last = is_dealing, self._loop.time()
        self._expect_step()

    def close(self) -> None:
        """Stop preparing, and wait for what the thread does."""
        if self._timer:
            self._timer.cancel()
        self._timer, self._is_closed = None, True
        self._thread.shutdown()

    def _is_newest_prepared(self) -> bool:
        return self._of_newest and self._preparing is not None and not self._preparing.done()

    def _expect_step(self) -> None:
        if self._timer or self._preparing or self._is_closed:
            return
        if self._journal.wants_preparing(self._is_dealing):
            self._timer = self._loop.call_later(IDLE_S, self._step)

    def _step(self) -> None:
        self._timer = None
        is_idle = self._writing is None and self._loop.time() >= self._last + IDLE_S
        if is_idle and (step := self._journal.preparation(self._is_dealing)):
            self._of_newest = step.of_newest
            self._preparing = self._thread.submit(self._journal.prepare, step)
            self._preparing.add_done_callback(lambda _: self._soon(self._prepared))
        else:
            self._expect_step()

    def _prepared(self) -> None:
        done, self._preparing = self._preparing, None
        if done:
            done.result()
        self._expect_step()

    def _soon(self, call: Callable[[], None]) -> None:
        """Call back on the loop, if it still runs."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(partial(call))
