"""The checks of `shoe check` in the order they are told: each is a function from the machine to its findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from firmware_bridge.cli.check.access import access
from firmware_bridge.cli.check.board import board
from firmware_bridge.cli.check.broker import broker
from firmware_bridge.cli.check.calibrated import calibrated
from firmware_bridge.cli.check.clock import clock
from firmware_bridge.cli.check.disk import disk
from firmware_bridge.cli.check.finding import Finding, Level, Machine
from firmware_bridge.cli.check.journal import journal
from firmware_bridge.cli.check.keypads import keypads
from firmware_bridge.cli.check.mode import mode
from firmware_bridge.cli.check.mount import mount
from firmware_bridge.cli.check.pi import pi
from firmware_bridge.cli.check.pins import pins
from firmware_bridge.cli.check.reader import code_book, reader
from firmware_bridge.cli.check.service import service
from firmware_bridge.cli.check.store import store
from firmware_bridge.cli.check.stranger import stranger
from firmware_bridge.cli.check.versions import versions

__all__ = ["CHECKS", "Check", "Finding", "Level", "Machine"]

Check = Callable[[Machine], Iterator[Finding]]

CHECKS: Final[tuple[Check, ...]] = (
    mode,
    service,
    versions,
    access,
    reader,
    code_book,
    calibrated,
    board,
    pins,
    keypads,
    broker,
    stranger,
    store,
    mount,
    disk,
    journal,
    clock,
    pi,
)
"""All checks, in the order of their findings."""
