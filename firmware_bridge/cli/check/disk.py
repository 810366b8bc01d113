"""Checks of the disk that keeps the journal: rights, room, and how long a card waits for it."""

from __future__ import annotations

import errno
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final

from firmware_bridge.cli.check.finding import Finding, Machine
from firmware_bridge.journal.filled import LINE_FEED, SECTOR

SYNCS: Final = 10
LINE: Final = b"x" * 2 * SECTOR
"""Bytes of a test write: a journal line of the usual length."""

SLOW_MS: Final = 50.0
"""A dealer notices a lamp that comes later than about a tenth of a second."""


def disk(machine: Machine) -> Iterator[Finding]:
    """Whether the journal can be written, for how long, and how fast."""
    directory = Path(machine.config.journal.dir)
    if not directory.is_dir():
        yield _missing(directory)
        return
    yield from _rights(directory)
    yield _room(directory, machine.config.journal.warn_mb)
    try:
        yield _speed(directory)
    except OSError as error:
        yield Finding("FAIL", "disk", f"{directory} cannot be written ({error.strerror})", _remedy(directory, error))


def _missing(directory: Path) -> Finding:
    """The finding for a directory that is not there; the daemon makes it if it may, which is tried."""
    if directory.exists():
        return Finding("FAIL", "disk", f"[journal] dir = {directory} is a file", "name a directory")
    above = next(each for each in directory.absolute().parents if each.exists())
    try:
        with tempfile.TemporaryDirectory(dir=above):
            return Finding("OK", "disk", f"{directory} is made at the first start")
    except OSError as error:
        what = f"{directory} does not exist, and cannot be made in {above} ({error.strerror})"
    remedy = f"sudo install -d -m 0700 -o shoe-bridge -g shoe-bridge {directory}; else name another [journal] dir"
    return Finding("FAIL", "disk", what, remedy)


def _rights(directory: Path) -> Iterator[Finding]:
    mode = stat.S_IMODE(directory.stat().st_mode)
    if mode & 0o077:
        what = f"{directory} has mode {mode:04o}: others may see the record"
        yield Finding("WARN", "disk", what, f"sudo chmod 0700 {directory}")


def _room(directory: Path, warn_mb: int) -> Finding:
    free = shutil.disk_usage(directory).free // 1_000_000
    if free < warn_mb:
        what = f"{free} MB free, fewer than the {warn_mb} MB of [journal] warn_mb"
        return Finding("WARN", "disk", what, "free some space, or lower [journal] keep_days")
    return Finding("OK", "disk", f"{directory}, {free} MB free")


def _speed(directory: Path) -> Finding:
    """How long a write takes until it is safe. Raises OSError."""
    spent = []
    with tempfile.TemporaryFile(dir=directory) as file:
        os.pwrite(file.fileno(), LINE_FEED * SYNCS * len(LINE), 0)  # filled ahead, as a journal is
        os.fdatasync(file.fileno())
        for number in range(SYNCS):
            began = time.perf_counter()
            os.pwrite(file.fileno(), LINE, number * len(LINE))
            os.fdatasync(file.fileno())
            spent.append((time.perf_counter() - began) * 1000)
    what = f"a line is safe after {median(spent):.1f} ms (the slowest of {SYNCS}: {max(spent):.1f} ms)"
    if median(spent) > SLOW_MS:
        return Finding("WARN", "disk", what, "lamps lag behind: use a faster card, one made for constant writing")
    return Finding("OK", "disk", what)


def _remedy(directory: Path, error: OSError) -> str:
    """What to do about a directory that cannot be written."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full: free some space (journalctl --vacuum-size=100M), then lower [journal] keep_days"
    if error.errno in (errno.EROFS, errno.EIO):
        return "the card may be failing: see dmesg, and replace it"
    return f"put sudo before the command; the daemon's user must own it: sudo chown -R shoe-bridge: {directory}"
