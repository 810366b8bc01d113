"""What `shoe check` looks at: each check is a function from the machine to its findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from firmware_bridge.cli.checks.access import access
from firmware_bridge.cli.checks.board import board
from firmware_bridge.cli.checks.broker import broker
from firmware_bridge.cli.checks.calibrated import calibrated
from firmware_bridge.cli.checks.clock import clock
from firmware_bridge.cli.checks.disk import disk
from firmware_bridge.cli.checks.finding import Finding, Level, Machine
from firmware_bridge.cli.checks.journal import journal
from firmware_bridge.cli.checks.mount import mount
from firmware_bridge.cli.checks.pi import pi
from firmware_bridge.cli.checks.pins import pins
from firmware_bridge.cli.checks.reader import code_book, reader
from firmware_bridge.cli.checks.service import service
from firmware_bridge.cli.checks.versions import versions

__all__ = ["CHECKS", "Check", "Finding", "Level", "Machine"]

Check = Callable[[Machine], Iterator[Finding]]

CHECKS: Final[tuple[Check, ...]] = (
    service,
    versions,
    access,
    reader,
    code_book,
    calibrated,
    board,
    pins,
    broker,
    mount,
    disk,
    journal,
    clock,
    pi,
)
"""In the order they are told."""
