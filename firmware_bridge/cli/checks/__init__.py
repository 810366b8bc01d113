"""What `shoe check` looks at: each check is a function from the machine to its findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from firmware_bridge.cli.checks.broker import broker
from firmware_bridge.cli.checks.disk import disk
from firmware_bridge.cli.checks.finding import Finding, Level, Machine
from firmware_bridge.cli.checks.pins import pins
from firmware_bridge.cli.checks.reader import code_book, reader

__all__ = ["CHECKS", "Check", "Finding", "Level", "Machine"]

Check = Callable[[Machine], Iterator[Finding]]

CHECKS: Final[tuple[Check, ...]] = (reader, code_book, pins, broker, disk)
"""In the order they are told."""
