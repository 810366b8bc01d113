"""Resources used by processes, from Linux's /proc."""

from __future__ import annotations

import os
import resource
from collections import defaultdict
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

_TICKS: Final = os.sysconf("SC_CLK_TCK")

FREE: Final = 200
"""Descriptors that a process needs beside those of its tables."""


class Use(Struct, frozen=True):
    """Resources of processes. pss_kib: memory, shared pages divided among their users. rss_kib: with all of them."""

    pss_kib: int = 0
    rss_kib: int = 0
    descriptors: int = 0
    threads: int = 0

    def plus(self, other: Use) -> Use:
        """Return both together."""
        mine, theirs = (tuple(getattr(each, name) for name in self.__struct_fields__) for each in (self, other))
        return Use(*(a + b for a, b in zip(mine, theirs, strict=True)))


def with_children(pids: list[int]) -> list[int]:
    """Return these processes, and those that they started themselves."""
    found = list(pids)
    for pid in pids:
        with suppress(OSError):
            found += map(int, Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
    return found


def use_of(pid: int) -> Use:
    """Return the resources a process uses now; zeros if it is gone."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:]
        sizes = {name: int(value.split()[0]) for name, _, value in (line.partition(":") for line in lines)}
        return Use(
            sizes["Pss"],
            sizes["Rss"],
            len(os.listdir(f"/proc/{pid}/fd")),  # noqa: PTH208  # a count of a thousand: no paths
            len(os.listdir(f"/proc/{pid}/task")),  # noqa: PTH208
        )
    except OSError:
        return Use()


def use_of_all(pids: list[int]) -> Use:
    """Return the resources that processes use now, in total."""
    total = Use()
    for pid in pids:
        total = total.plus(use_of(pid))
    return total


def cpu_s(pid: int) -> float:
    """Return seconds of processor that a process has used, 0.0 where it is gone."""
    with suppress(OSError):
        _, _, rest = Path(f"/proc/{pid}/stat").read_text().rpartition(")")
        user, system = rest.split()[11:13]
        return (int(user) + int(system)) / _TICKS
    return 0.0


class Meter:
    """Adds up the processor time of kinds of processes, which may be killed and started again between two looks."""

    def __init__(self) -> None:
        self.cpu_s: dict[str, float] = defaultdict(float)
        self._known: dict[int, float] = {}

    def begin(self, pids: Mapping[str, list[int]]) -> None:
        """Start counting."""
        self.cpu_s.clear()
        self._known = {pid: cpu_s(pid) for each in pids.values() for pid in each}

    def look(self, pids: Mapping[str, list[int]]) -> None:
        """Add the processor time since the last look. pids: kind -> its processes."""
        for kind, numbers in pids.items():
            for pid in numbers:
                now = cpu_s(pid)
                self.cpu_s[kind] += max(0.0, now - self._known.get(pid, 0.0))
                self._known[pid] = now


def raise_limit(wanted: int) -> str | None:
    """Raise the limit of open files for this process and its children; return the reason if refused, else None."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft >= wanted:
        return None
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, max(hard, wanted)))
    except (ValueError, OSError):
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        return f"{wanted} open files in a process are needed, and {hard} are allowed: more is refused here"
    return None
