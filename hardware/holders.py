"""Other programs that have a serial port open, and the console of the kernel."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

PROC: Final = Path("/proc")
CMDLINE: Final = PROC / "cmdline"
PSEUDO, OTHER_END = "/dev/pts/", ("/dev/ptmx", "/dev/pts/ptmx")

_PARENT, _TERMINAL = 1, 4  # fields of /proc/PID/stat behind the name in brackets


class _Stat(NamedTuple):
    parent: int
    terminal: int


def holders(path: str, ours: Iterable[int] = ()) -> list[str]:
    """Return the programs that have the device open, as far as this user may see: "python3 (pid 812)".

    A login at the device is seen by everyone. ours: process ids that are left out, with their children, beside this
    process. The program at the other end of a pseudo-terminal is none of them.
    """
    real, known = os.path.realpath(path), {os.getpid(), *ours}
    pids = sorted(int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit())
    return [f"{_name(pid)} (pid {pid})" for pid in pids if _holds(pid, real, known)]


def is_console(path: str, cmdline: Path = CMDLINE) -> bool:
    """Return whether the kernel writes its messages to the device: `console=` of its command line."""
    try:
        words = cmdline.read_text("ascii", "replace").split()
    except OSError:
        return False
    named = (word.removeprefix("console=").partition(",")[0] for word in words if word.startswith("console="))
    return os.path.realpath(path) in {os.path.realpath(f"/dev/{name}") for name in named}


def _holds(pid: int, real: str, ours: set[int]) -> bool:
    stat = _stat(pid)
    if stat is None or ours & {pid, stat.parent}:
        return False
    files = _files(pid)
    if real.startswith(PSEUDO) and not files.isdisjoint(OTHER_END):
        return False
    return real in files or (stat.terminal != 0 and stat.terminal == _number(real))


def _stat(pid: int) -> _Stat | None:
    try:
        words = (PROC / str(pid) / "stat").read_text("utf-8", "replace").rpartition(")")[2].split()
        return _Stat(int(words[_PARENT]), int(words[_TERMINAL]))
    except (OSError, ValueError, IndexError):
        return None  # gone


def _number(real: str) -> int:
    """Return the number of a device as the kernel packs that of a terminal; -1 where there is no device."""
    try:
        number = Path(real).stat().st_rdev
    except OSError:
        return -1
    major, minor = os.major(number), os.minor(number)
    return (major << 8) | (minor & 0xFF) | ((minor & ~0xFF) << 12)


def _files(pid: int) -> set[str]:
    try:
        return {str(entry.readlink()) for entry in (PROC / str(pid) / "fd").iterdir()}
    except OSError:
        return set()  # gone, or not ours to see


def _name(pid: int) -> str:
    try:
        return (PROC / str(pid) / "comm").read_text("utf-8", "replace").strip()
    except OSError:
        return "a program"
