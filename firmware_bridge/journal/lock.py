"""Only one daemon writes a journal: the file `lock` beside it says who is first."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from firmware_bridge.errors import JournalError


class InUse(JournalError):
    """Another daemon writes this journal."""


def lock(directory: Path) -> int:
    """A descriptor that keeps every other daemon out until it is closed. Raises InUse, OSError."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    return _locked(directory, os.O_RDWR | os.O_CREAT)


def refuse_second(directory: Path) -> None:
    """Raise InUse where another daemon writes this journal; a disk that cannot be used is found out later."""
    try:
        os.close(_locked(directory, os.O_RDONLY))
    except OSError:
        return


def _locked(directory: Path, mode: int) -> int:
    fd = os.open(directory / "lock", mode | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        raise InUse(f"another daemon uses {directory}", "stop it first: systemctl stop firmware-bridge") from None
    except OSError:
        os.close(fd)
        raise
    return fd
