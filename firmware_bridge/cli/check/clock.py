"""Checks of the clock: whether it is kept right, and not behind the record."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from firmware_bridge.cli.check.finding import Finding, Machine
from firmware_bridge.daemon.table.stamps import clock as clock_of
from firmware_bridge.journal.files import journal_files

SLACK_S: Final = 60.0
"""The record may be this much ahead of the clock."""

ASK: Final = ("timedatectl", "show", "--property=NTPSynchronized", "--value")
REMEDY: Final = "sudo timedatectl set-ntp true; let the Pi reach a time server (UDP 123), or fit a battery clock"


def clock(machine: Machine) -> Iterator[Finding]:
    """Whether somebody keeps the clock, and whether it agrees with the record. Play never waits for it."""
    newest = max((_written(path) for path in journal_files(Path(machine.config.journal.dir))), default=0.0)
    if newest > machine.now() + SLACK_S:
        behind = f"the clock is {(newest - machine.now()) / 60:.0f} minutes behind the record"
        yield Finding("WARN", "clock", f"{behind}: rounds would be dated before the last ones", REMEDY)
    answer = machine.said(*ASK).strip()
    if clock_of(machine.root) == "synchronised" or answer == "yes":
        yield Finding("OK", "clock", "synchronised")
    elif answer == "no":
        yield Finding("WARN", "clock", "not synchronised: the times of rounds may be wrong", REMEDY)
    else:
        yield Finding("WARN", "clock", "nobody here says whether the clock is synchronised", REMEDY)


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
