"""Checks of the file system the journal is on: it must outlive a power cut, and take writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from firmware_bridge.cli.check.finding import Finding, Machine

IN_MEMORY: Final = ("tmpfs", "ramfs", "zram")
OVER_NETWORK: Final = ("nfs", "nfs4", "cifs", "fuse.sshfs")


class Mount(NamedTuple):
    """A line of /proc/mounts."""

    device: str
    point: str
    kind: str
    options: tuple[str, ...]


def mount(machine: Machine) -> Iterator[Finding]:
    """Whether the journal's file system is on a disk of this machine that takes writes."""
    directory = Path(machine.config.journal.dir).absolute()
    found = _mount(machine, directory)
    if found is None:
        return
    if found.kind in IN_MEMORY or (found.point == "/" and found.kind == "overlay" and _overlaid(machine)):
        what = f"{directory} is in memory ({found.kind} at {found.point}): a power cut loses every round"
        yield Finding("FAIL", "mount", what, "put [journal] dir on the SD card or an SSD; end an overlay file system")
    elif "ro" in found.options:
        what = f"{directory} is mounted read-only ({found.device} at {found.point})"
        remedy = "a card that fails is mounted so: see dmesg and replace it"
        yield Finding("FAIL", "mount", what, f"{remedy}; else sudo mount -o remount,rw {found.point}")
    elif found.kind in OVER_NETWORK:
        what = f"{directory} is on the network ({found.kind}): every card waits for it"
        yield Finding("WARN", "mount", what, "put [journal] dir on a disk of this machine")
    else:
        yield Finding("OK", "mount", f"{found.kind} on {found.device} at {found.point}")


def _mount(machine: Machine, directory: Path) -> Mount | None:
    """What the directory is on; the last mount hides those before it."""
    found = None
    for line in machine.text("/proc/mounts").splitlines():
        device, point, kind, options, *_ = [_spaced(word) for word in line.split()]
        if directory.is_relative_to(point) and (found is None or len(point) >= len(found.point)):
            found = Mount(device, point, kind, tuple(options.split(",")))
    return found


def _overlaid(machine: Machine) -> bool:
    """Whether Raspberry Pi OS keeps all changes in memory."""
    return bool(re.search(r"\b(boot=overlay|overlayroot=tmpfs)", machine.text("/proc/cmdline")))


def _spaced(word: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), word)
