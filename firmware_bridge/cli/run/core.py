"""One core for the daemon: what a card needs stays in that core's caches while it waits for the next one."""

from __future__ import annotations

import contextlib
import os


def keep_to_one_core() -> None:
    """Run on one of the cores that we may use, several daemons on several; not on the first, which serves devices.

    Threads and processes that begin later inherit it. Where it is forbidden, the kernel goes on choosing.
    """
    cores = sorted(os.sched_getaffinity(0))
    usable = cores[1:] or cores
    with contextlib.suppress(OSError):
        os.sched_setaffinity(0, {usable[os.getpid() % len(usable)]})
