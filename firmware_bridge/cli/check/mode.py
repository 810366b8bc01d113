"""Checks of what the table offers its guests."""

from __future__ import annotations

from collections.abc import Iterator

from firmware_bridge.cli.check.finding import Finding, Machine
from firmware_bridge.config.modes import contradictions


def mode(machine: Machine) -> Iterator[Finding]:
    """Whether other keys leave the service's mode what it stands for."""
    for what, remedy in contradictions(machine.config):
        yield Finding("WARN", "mode", what, remedy)
