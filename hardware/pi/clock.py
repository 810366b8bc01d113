"""Whether somebody keeps the wall clock."""

from __future__ import annotations

from pathlib import Path
from typing import Final

SYNCHRONIZED: Final = "run/systemd/timesync/synchronized"
"""Made by systemd-timesyncd when it has set the clock for the first time since the boot."""


def is_kept(root: Path = Path("/")) -> bool:
    """Whether the wall clock was set by a time server since the boot. root: where the system's files are."""
    return (root / SYNCHRONIZED).exists()
