"""What is wrong with a disk that takes no journal, in words, with what to do."""

from __future__ import annotations

import errno
from pathlib import Path
from typing import Final

from firmware_bridge.errors import BridgeError, DiskError

NO_SPACE: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
FAILING: Final = (errno.EROFS, errno.EIO)


class SyncFailed(BridgeError):
    """The disk did not confirm a write: what is on it is unknown, so the process must end and read it again."""


def unwritable(error: OSError) -> DiskError:
    """The error for a write that the disk did not take."""
    return _disk_error("the journal cannot be written", error, "check the disk and its mount")


def unusable(directory: Path, error: OSError) -> DiskError:
    """The error for a directory in which no journal can be read and begun."""
    what = f"the journal's directory {directory} cannot be used"
    return _disk_error(what, error, "correct [journal] dir, or let the daemon's user write there")


def _disk_error(what: str, error: OSError, usual: str) -> DiskError:
    hint = usual
    if error.errno in NO_SPACE:
        hint = "free some space: `shoe check` says how much is needed"
    elif error.errno in FAILING:
        hint = "the card may be failing: see dmesg, and replace it"
    return DiskError(
        f"{what} ({error.strerror or error})", hint, "disk_full" if error.errno in NO_SPACE else "disk_error"
    )
