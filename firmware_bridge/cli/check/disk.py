"""Checks of the journal's disk (rights, room, speed, kind of file system) and of the journal itself."""

import errno
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from firmware_bridge.cli.check.finding import USER, Machine
from firmware_bridge.config.findings import Finding
from firmware_bridge.errors import JournalError
from firmware_bridge.journal.cursor import read_cursor
from firmware_bridge.journal.other_table import refusal_of_other, writer
from firmware_bridge.journal.preallocate import LINE_FEED, SECTOR
from firmware_bridge.journal.recovery import refusal, verify_newest

SYNCS: Final = 10

LINE: Final = b"x" * 2 * SECTOR
"""Bytes of a test write: as many as a usual journal line."""

SLOW_MS: Final = 50.0
"""Milliseconds above which writes are slow: a dealer notices lamps that lag by about a tenth of a second."""

STATE: Final = Path("/var/lib/firmware-bridge")
"""The directory that systemd makes for the service."""

MAKE: Final = f"sudo install -d -m 0700 -o {USER} -g {USER}"

IN_MEMORY: Final = ("tmpfs", "ramfs", "zram")
OVER_NETWORK: Final = ("nfs", "nfs4", "cifs", "fuse.sshfs")


def disk(machine: Machine) -> Iterator[Finding]:
    """Check whether the journal can be written, how much room is left, and how fast it is."""
    directory = Path(machine.config.journal.dir)
    if not directory.is_dir():
        yield _missing(directory)
        return
    yield from _rights(directory)
    yield _room(directory, machine.config.journal.warn_mb)
    try:
        yield _speed(directory)
    except OSError as error:
        if isinstance(error, PermissionError) and os.geteuid():
            raise  # this user may not write there; the daemon may
        yield Finding("FAIL", "disk", f"{directory} cannot be written ({error.strerror})", _remedy(directory, error))


def _missing(directory: Path) -> Finding:
    """Return the finding for a missing directory; try whether the daemon could make it."""
    if directory.exists():
        return Finding("FAIL", "disk", f"[journal] dir = {directory} is a file", "set a directory")
    above = next(each for each in directory.absolute().parents if each.exists())
    try:
        with tempfile.TemporaryDirectory(dir=above):
            pass
        if os.geteuid() or directory.is_relative_to(STATE):
            return Finding("OK", "disk", f"{directory} will be made at the first start")
        what = f"{directory} does not exist yet; not tried whether {USER} can make it"
        return Finding("WARN", "disk", what, f"{MAKE} {directory}")
    except OSError as error:
        what = f"{directory} does not exist, and cannot be made in {above} ({error.strerror})"
    return Finding("FAIL", "disk", what, f"{MAKE} {directory}, or set another [journal] dir")


def _rights(directory: Path) -> Iterator[Finding]:
    mode = stat.S_IMODE(directory.stat().st_mode)
    if mode & 0o077:
        what = f"{directory} has mode {mode:04o}: others can read the record"
        yield Finding("WARN", "disk", what, f"sudo chmod 0700 {directory}")


def _room(directory: Path, warn_mb: int) -> Finding:
    free = shutil.disk_usage(directory).free // 1_000_000
    if free < warn_mb:
        what = f"{free} MB free, less than the {warn_mb} MB of [journal] warn_mb"
        return Finding("WARN", "disk", what, "free some space, or lower [journal] keep_days")
    return Finding("OK", "disk", f"{directory}, {free} MB free")


def _speed(directory: Path) -> Finding:
    """Return how long a write takes to be safe on disk. Raises OSError."""
    spent = []
    with tempfile.TemporaryFile(dir=directory) as file:
        os.pwrite(file.fileno(), LINE_FEED * SYNCS * len(LINE), 0)  # preallocated, as a journal is
        os.fdatasync(file.fileno())
        for number in range(SYNCS):
            began = time.perf_counter()
            os.pwrite(file.fileno(), LINE, number * len(LINE))
            os.fdatasync(file.fileno())
            spent.append((time.perf_counter() - began) * 1000)
    what = f"a line is on disk after {median(spent):.1f} ms (slowest of {SYNCS}: {max(spent):.1f} ms)"
    if median(spent) > SLOW_MS:
        return Finding("WARN", "disk", what, "lamps will lag: use a faster SD card made for constant writing")
    return Finding("OK", "disk", what)


def _remedy(directory: Path, error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "the disk is full: free some space (journalctl --vacuum-size=100M), then lower [journal] keep_days"
    if error.errno in (errno.EROFS, errno.EIO):
        return "the card may be failing: see dmesg, and replace it"
    return (
        f"put sudo before the command; the daemon's user must own the directory: sudo chown -R shoe-bridge: {directory}"
    )


class Mount(NamedTuple):
    """A line of /proc/mounts."""

    device: str
    point: str
    kind: str
    options: tuple[str, ...]


def mount(machine: Machine) -> Iterator[Finding]:
    """Check whether the journal's file system is on a disk of this machine that takes writes."""
    directory = Path(machine.config.journal.dir).absolute()
    found = _mount(machine, directory)
    if found is None:
        yield Finding("WARN", "mount", f"not checked: /proc/mounts does not say what {directory} is on", "see: df")
        return
    if found.kind in IN_MEMORY or (found.point == "/" and found.kind == "overlay" and _overlaid(machine)):
        what = f"{directory} is in memory ({found.kind} at {found.point}): a power cut loses every round"
        yield Finding(
            "FAIL", "mount", what, "put [journal] dir on the SD card or an SSD; turn the overlay file system off"
        )
    elif "ro" in found.options:
        what = f"{directory} is mounted read-only ({found.device} at {found.point})"
        remedy = "a failing card becomes read-only: see dmesg and replace it"
        yield Finding("FAIL", "mount", what, f"{remedy}, or sudo mount -o remount,rw {found.point}")
    elif found.kind in OVER_NETWORK:
        what = f"{directory} is on the network ({found.kind}): every card has to wait for it"
        yield Finding("WARN", "mount", what, "put [journal] dir on a disk of this machine")
    else:
        yield Finding("OK", "mount", f"{found.kind} on {found.device} at {found.point}")


def _mount(machine: Machine, directory: Path) -> Mount | None:
    """Return the mount that the directory is on; the last mount hides those before it."""
    found = None
    for line in machine.text("/proc/mounts").splitlines():
        device, point, kind, options, *_ = [_spaced(word) for word in line.split()]
        if directory.is_relative_to(point) and (found is None or len(point) >= len(found.point)):
            found = Mount(device, point, kind, tuple(options.split(",")))
    return found


def _overlaid(machine: Machine) -> bool:
    """Return whether Raspberry Pi OS keeps all changes in memory."""
    return bool(re.search(r"\b(boot=overlay|overlayroot=tmpfs)", machine.text("/proc/cmdline")))


def _spaced(word: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), word)


def journal(machine: Machine) -> Iterator[Finding]:
    """Check whether the record is whole, as far as a start reads it: the newest shoe, and what was not delivered."""
    directory = Path(machine.config.journal.dir)
    if not directory.is_dir():
        return  # reported by the check of the disk
    try:
        newest = verify_newest(directory, read_cursor(directory / "cursor"))
        name = writer(directory)
    except PermissionError:
        raise
    except (JournalError, OSError) as error:
        refused = refusal(error, directory)
        yield Finding("FAIL", "journal", refused.what, refused.hint)
    else:
        if name not in (machine.config.table.id, None):
            other = refusal_of_other(directory, machine.config.table.id)
            yield Finding("FAIL", "journal", other.what, other.hint)
        elif newest:
            yield Finding("OK", "journal", f"{newest.name} is whole")
