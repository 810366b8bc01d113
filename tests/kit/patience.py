"""Waits that a slow or busy machine cannot fail: their limits count the time that the machine gave.

That is wall time less the time that this process and those below it waited for a core, by the second number of
`/proc/PID/task/TID/schedstat` (nanoseconds; where there is none: wall time). What hangs sleeps, and does not wait for a
core: its limit ends.
"""

from __future__ import annotations

import asyncio
import socket
import subprocess
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from os import getpid
from pathlib import Path
from threading import Lock, Thread
from typing import Any, Final, TypeVar

LIMIT_S: Final = 180.0
"""Within so many given seconds comes what is right, also what takes thirty on a quiet machine."""

HANG_S: Final = 1200.0
"""For what counts plain time, as a socket, a lock or a request does: only what hangs takes so long."""

LOOK_S: Final = 0.01
"""Between two looks at a condition."""

COUNT_S: Final = 0.5
"""Between two counts of how long the processes waited: a count reads a file of every thread."""

T = TypeVar("T")
Story = Callable[[], object]
"""What to show where a limit has passed."""


class Patience:
    """A limit of `seconds` that the machine gave, counted from now."""

    def __init__(self, seconds: float = LIMIT_S) -> None:
        self.seconds, self._given = seconds, 0.0
        self._at = time.monotonic()
        self._waited: dict[str, int] | None = None  # most conditions are true before it is worth a look

    @property
    def is_over(self) -> bool:
        """Whether the limit has passed."""
        return self.left <= 0

    @property
    def left(self) -> float:
        """Seconds left; not positive once the limit has passed."""
        passed = time.monotonic() - self._at
        if passed > COUNT_S or self._given + passed >= self.seconds:
            self._count()
            passed = 0.0
        return self.seconds - self._given - passed

    def _count(self) -> None:
        now, waited = time.monotonic(), _waited()
        passed = now - self._at
        if self._waited is None:
            self._given += min(passed, COUNT_S)
        else:
            lost = sum(each - self._waited.get(task, 0) for task, each in waited.items()) / 1e9
            self._given += max(0.0, passed - lost)
        self._at, self._waited = now, waited


def until(
    condition: Callable[[], T], seconds: float = LIMIT_S, *, story: Story | None = None, look_s: float = LOOK_S
) -> T:
    """The first true value of `condition`. AssertionError with the story once `seconds` have been given."""
    patience = Patience(seconds)
    while not (found := condition()):
        assert not patience.is_over, _late(patience, story)
        time.sleep(look_s)
    return found


async def comes(
    condition: Callable[[], T], seconds: float = LIMIT_S, *, story: Story | None = None, look_s: float = LOOK_S
) -> T:
    """As `until`, while the running loop goes on."""
    patience = Patience(seconds)
    while not (found := condition()):
        assert not patience.is_over, _late(patience, story)
        await asyncio.sleep(look_s)
    return found


async def awaited(what: Awaitable[T], seconds: float = LIMIT_S, *, story: Story | None = None) -> T:
    """What an awaitable gives, while the running loop goes on. AssertionError once `seconds` have been given."""
    patience, task = Patience(seconds), asyncio.ensure_future(what)
    while not (await asyncio.wait({task}, timeout=COUNT_S))[0]:
        if patience.is_over:
            task.cancel()
            raise AssertionError(_late(patience, story))
    return task.result()


class PatientSocket(socket.socket):
    """A socket whose reads and writes wait as `until` does; also those of the files that it makes."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.settimeout(COUNT_S)

    def recv(self, *given: Any) -> bytes:
        return _patiently(super().recv, *given)

    def recv_into(self, *given: Any) -> int:
        return _patiently(super().recv_into, *given)

    def sendall(self, data: Any, *flags: Any) -> None:
        left = memoryview(data)
        while left:
            left = left[_patiently(super().send, left, *flags) :]


def _patiently(act: Callable[..., T], *given: Any) -> T:
    patience = Patience()
    while True:
        with suppress(TimeoutError):
            return act(*given)
        assert not patience.is_over, _late(patience, None)


def ended(process: subprocess.Popen[Any], seconds: float = LIMIT_S) -> int:
    """The exit code of a process that ends by itself. AssertionError if it does not."""
    until(lambda: process.poll() is not None, seconds, story=lambda: process.args)
    return int(process.returncode)


def said(process: subprocess.Popen[Any], text: Any = None, seconds: float = LIMIT_S) -> tuple[Any, Any]:
    """What a process writes to its pipes until it ends, given `text`. Beyond the limit it is killed: AssertionError."""
    patience = Patience(seconds)
    if text is not None:  # a second `communicate` would not write the rest of what the first one could not
        stdin, process.stdin = process.stdin, None
        Thread(target=_give, args=(stdin, text), daemon=True).start()
    while True:
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=COUNT_S)
        if patience.is_over:
            process.kill()
            raise AssertionError(_late(patience, lambda: (process.args, *process.communicate())))


def _give(stdin: Any, text: Any) -> None:
    """Write `text`, of which the process need not read all."""
    with suppress(BrokenPipeError), stdin:
        stdin.write(text)


def run(
    command: Sequence[object], seconds: float = LIMIT_S, *, text: Any = None, check: bool = False, **options: Any
) -> subprocess.CompletedProcess[Any]:
    """Run a command to its end, with `text` on its stdin; stdout and stderr, as text, unless `options` differ."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    if text is not None:
        streams["stdin"] = subprocess.PIPE
    with subprocess.Popen([str(word) for word in command], **streams | options) as process:
        out, err = said(process, text, seconds)
    done = subprocess.CompletedProcess(process.args, process.returncode, out, err)
    assert not check or done.returncode == 0, (done.args, done.returncode, out, err)
    return done


class GivenClock:
    """A clock that stands while this process or one of `pids` waits for a core: what something took, however busy.

    A reading takes time, too, most of all on a busy machine: `since` ends before it, and counts each wait till then.
    """

    def __init__(self, *pids: int) -> None:
        self._pids = (getpid(), *pids)
        self._waited: dict[str, int] = {}
        self._lock = Lock()

    def __call__(self) -> float:
        """The moment from which `since` counts."""
        waited = self.waited()
        return time.monotonic() - waited

    def since(self, begun: float) -> float:
        """Seconds since a moment of this clock, none negative."""
        now = time.monotonic()
        return max(0.0, now - self.waited() - begun)

    def waited(self) -> float:
        """Seconds that the threads have waited for a core so far, all together."""
        found = [task for pid in self._pids for task in _waited_by(pid).items()]
        with self._lock:  # another thread may have read later, and be first here
            for task, waited in found:
                self._waited[task] = max(waited, self._waited.get(task, 0))
            return sum(self._waited.values()) / 1e9


def _late(patience: Patience, story: Story | None) -> str:
    return f"not within {patience.seconds} s that the machine gave; {story() if story else 'no more is known'}"


def _waited() -> dict[str, int]:
    """Nanoseconds that each thread of this process and of those below it has waited for a core so far."""
    found = dict[str, int]()
    for pid in _below(getpid()):
        found |= _waited_by(pid)
    return found


def _waited_by(pid: int) -> dict[str, int]:
    found = {}
    with suppress(OSError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError, ValueError):  # it has ended
                found[task.name] = int((task / "schedstat").read_bytes().split()[1])
    return found


def _below(root: int) -> Iterator[int]:
    """A process and all below it."""
    children = defaultdict[int, list[int]](list)
    for process in Path("/proc").iterdir():
        with suppress(OSError, ValueError):
            children[int((process / "stat").read_text().rpartition(")")[2].split()[1])].append(int(process.name))
    left = [root]
    while left:
        yield (pid := left.pop())
        left += children[pid]
