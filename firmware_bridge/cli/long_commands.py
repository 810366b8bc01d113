"""Shared by long commands: worker processes with results in order, and a progress bar."""

import argparse
import gc
import os
import pickle
import shutil
import signal
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from math import ceil
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Self, TypeVar

from firmware_bridge.errors import BridgeError

if TYPE_CHECKING:  # not loaded by a command in one process
    from concurrent.futures import Future, ProcessPoolExecutor
    from multiprocessing.process import BaseProcess

MOST: Final = 64
"""Maximum number of processes."""

AHEAD: Final = 1.5
"""Tasks in flight for each process, at most: the one at work, and those that wait for it or for the reader."""

CANNOT_MOVE: Final = ("", "dumb", "unknown")
"""Values of TERM for terminals without cursor movement."""

WAIT_S: Final = 2.0
"""Seconds after which the bar appears."""

EVERY_S: Final = 0.1

WIDTH: Final = 40
"""Columns of the bar itself, at most."""

_TO_BEGIN: Final = "\r\x1b[K"

T = TypeVar("T")


class WorkerError(BridgeError, RuntimeError):
    """Process that ended before its task did."""


def jobs_option(parser: argparse.ArgumentParser) -> None:
    """Add the option `--jobs`."""
    parser.add_argument("--jobs", type=_jobs, default=_cores(), metavar="N", help="processes (default: one per core)")


class Workers:
    """`jobs` processes, forked at the first task; a context that ends them all. Ctrl-C does not reach them.

    They also end by themselves when this process is gone, however it ended. Tasks and results go through files in
    memory: what the pool's own pipes carry is so small that no process can die in the middle of it.
    """

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._pool: ProcessPoolExecutor | None = None
        self._processes: list[BaseProcess] = []
        self._pending: deque[tuple[Future[None], int]] = deque()
        self._files: list[int] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for each in self._processes:
            each.kill()
        if self._pool:
            self._pool.shutdown(cancel_futures=True)
        for file in (*self._files, *(file for _, file in self._pending)):
            os.close(file)

    def start(self, task: Callable[[], Iterable[T]]) -> Iterator[T]:
        """Start a task and yield the results of finished ones, in order; at most 1.5 x jobs are in flight.

        Task and results are pickled. Raises a task's error after its results; WorkerError if a process died.
        """
        pool = self._pool or self._forked()
        file = self._files.pop()
        os.pwrite(file, pickle.dumps(task), 0)
        try:
            self._pending.append((pool.submit(_work, file), file))
        except RuntimeError:  # a process has died
            self._files.append(file)
            raise _died() from None
        while self._pending and (self._pending[0][0].done() or not self._files):
            yield from self._results()

    def finish(self) -> Iterator[Any]:
        """Yield the results of all tasks in flight. Raises as `start` does."""
        while self._pending:
            yield from self._results()

    def _forked(self) -> "ProcessPoolExecutor":
        """Return the pool with all its processes forked; SIGINT stays blocked in them."""
        from concurrent.futures import ProcessPoolExecutor
        from multiprocessing import active_children, get_context

        self._files = [os.memfd_create("results") for _ in range(ceil(AHEAD * self.jobs))]
        others = active_children()
        self._pool = ProcessPoolExecutor(self.jobs, get_context("fork"), _begin)
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            self._pool.submit(int)
        finally:
            self._processes = [each for each in active_children() if each not in others]
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return self._pool

    def _results(self) -> Iterator[Any]:
        """Yield the results of the oldest task."""
        from concurrent.futures.process import BrokenProcessPool

        future, file = self._pending[0]
        error = future.exception()
        if isinstance(error, BrokenProcessPool):
            raise _died()
        with open(file, "rb", closefd=False) as results, suppress(EOFError):
            results.seek(0)
            while True:
                yield pickle.load(results)
        if error:
            raise error
        os.ftruncate(file, 0)
        self._pending.popleft()
        self._files.append(file)


class Bar:
    """Progress bar with the time left, on stderr if that is a terminal; a context.

    what: past participle for the work on the bytes. total: number of bytes, 0 if unknown. It appears after 2 s and is
    gone at the end.
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
        """Set the number of bytes done."""
        self.done = done
        if self._is_shown and (now := monotonic()) >= self._next:
            self._next = now + EVERY_S
            self._is_drawn = True
            print(_TO_BEGIN + self._text(now - self._begun), end="", file=sys.stderr, flush=True)

    def clear(self) -> None:
        """Clear the bar's line for a line of text."""
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


def _work(file: int) -> None:
    """Run the task in a file, and write its results there."""
    with open(file, "r+b", closefd=False) as results:
        results.seek(0)
        task = pickle.load(results)
        results.seek(0)
        results.truncate()
        for each in task():
            pickle.dump(each, results)


def _died() -> WorkerError:
    return WorkerError("a process ended too early", "see its message above, or try --jobs 1")


def _begin() -> None:
    """Keep memory shared with the parent, and end this process as soon as the parent is gone, or by SIGTERM."""
    from multiprocessing import parent_process

    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a pool that ends waits for it; the parent may have a handler
    gc.freeze()
    parent = parent_process()
    assert parent

    def wait() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _jobs(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes: write 1 to {MOST}")
    return int(text)


def _cores() -> int:
    """Return the number of useful processes: one for each usable core; one alone if other threads run."""
    return len(os.sched_getaffinity(0)) if threading.active_count() == 1 else 1
