"""Work in processes of their own, whose words come in turns."""

from __future__ import annotations

import argparse
import fcntl
import os
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import cycle
from select import select
from typing import Any, BinaryIO, Final

from firmware_bridge.errors import BridgeError

MOST: Final = 64
"""Processes at most."""

HELD: Final = 1 << 20
"""Bytes that a pipe holds, where the system lets it: about what a shoe says."""

KEPT: Final = 4 << 20
"""Bytes that a process keeps of what it says while nobody listens; then it waits."""


class TurnError(BridgeError, RuntimeError):
    """A process ended before it had said all."""


def option(parser: argparse.ArgumentParser) -> None:
    """The option `--jobs` of a command that can work in several processes."""
    parser.add_argument("--jobs", type=_jobs, default=_cores(), metavar="N", help="processes (default: one per core)")


def _jobs(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes: 1 to {MOST}")
    return int(text)


def _cores() -> int:
    """How many processes are worth it: one for each core we may use; one alone where other threads run."""
    return len(os.sched_getaffinity(0)) if threading.active_count() == 1 else 1


class Voice:
    """What a process says to another through a pipe; it keeps what the pipe does not take."""

    def __init__(self, pipe: BinaryIO) -> None:
        os.set_blocking(pipe.fileno(), False)
        self._pipe, self._kept = pipe, bytearray()

    def say(self, value: Any) -> None:
        """Say anything that can be pickled, now or later: this waits only where too much is kept already."""
        self._keep("said", value)
        if len(self._kept) > KEPT:
            self._flush()
        else:
            self._write()

    def end_turn(self) -> None:
        """Let the next one speak; this waits until all is said."""
        self._keep("turn", None)
        self._flush()

    def end(self, error: BridgeError | None = None) -> None:
        """Say that nothing more comes, or why it does not; this waits until all is said."""
        self._keep("end", error)
        self._flush()

    def _keep(self, kind: str, value: Any) -> None:
        self._kept += pickle.dumps((kind, value), pickle.HIGHEST_PROTOCOL)

    def _flush(self) -> None:
        while self._write():
            select([], [self._pipe], [])

    def _write(self) -> bool:
        """Write what the pipe takes; whether something is left."""
        with suppress(BlockingIOError):
            del self._kept[: os.write(self._pipe.fileno(), self._kept)]
        return bool(self._kept)


class Ear:
    """The other end of a `Voice`."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe, self.is_over = pipe, False

    def turn(self) -> Iterator[Any]:
        """What is said up to the end of the turn. Behind it, `is_over` tells whether there is no other.

        Raises the error that the voice ended with, and TurnError where it fell silent.
        """
        while not self.is_over:
            try:
                kind, value = pickle.load(self._pipe)
            except (EOFError, pickle.UnpicklingError):
                raise TurnError("a process ended too early", "what it wrote above says why; or try --jobs 1") from None
            if kind == "turn":
                return
            if kind == "end" and value:
                raise value
            if kind == "said":
                yield value
            self.is_over = kind == "end"


Work = Callable[[Voice], None]


class Crew:
    """Processes forked off this one; a context that ends them all. Ctrl-C is for this one, not for them."""

    def __init__(self) -> None:
        self._children: list[int] = []
        self._ends: list[BinaryIO] = []

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for child in self._children:
            os.kill(child, signal.SIGKILL)
        for child in self._children:
            os.waitpid(child, 0)
        for end in self._ends:
            end.close()

    def pipe(self) -> tuple[BinaryIO, BinaryIO]:
        """A pipe's ends, for reading and for writing."""
        ear, mouth = os.pipe()
        with suppress(OSError):  # the user's pipes are all large
            fcntl.fcntl(mouth, fcntl.F_SETPIPE_SZ, HELD)
        ends = os.fdopen(ear, "rb", 1 << 16), os.fdopen(mouth, "wb", 0)
        self._ends += ends
        return ends

    def fork(self, work: Callable[[], None], *ends: BinaryIO) -> None:
        """Do `work` in a process of its own. These `ends` of pipes become that one's; it gets no others."""
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            if child := os.fork():
                self._children.append(child)
            else:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                self._do(work, ends)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
        for end in ends:
            end.close()

    def hire(self, work: Work, *ends: BinaryIO) -> Ear:
        """Do `work` in a process of its own, as `fork` does; the ear that hears it."""
        ear, mouth = self.pipe()
        self.fork(lambda: _speak(work, Voice(mouth)), mouth, *ends)
        return Ear(ear)

    def _do(self, work: Callable[[], None], ends: Sequence[BinaryIO]) -> None:
        """Do it and end here, whatever happens: nothing behind the fork is ours to do."""
        try:
            for end in self._ends:
                if end not in ends:
                    end.close()
            work()
        except BrokenPipeError:  # nobody listens any more
            os._exit(1)
        except BaseException:
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)
        os._exit(0)


def in_turns(ears: Sequence[Ear]) -> Iterator[Any]:
    """What is heard of some processes: all of a turn of the first, of the second, .. and around, until one is over.

    Raises the error that one ended with, and TurnError where it died.
    """
    for ear in cycle(ears):
        yield from ear.turn()
        if ear.is_over:
            return


def _speak(work: Work, voice: Voice) -> None:
    try:
        work(voice)
    except BridgeError as error:
        voice.end(error)
    else:
        voice.end()
