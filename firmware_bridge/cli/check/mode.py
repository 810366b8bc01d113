"""Checks of what the table offers its guests."""

from __future__ import annotations

from collections.abc import Iterator

from firmware_bridge.cli.check.finding import Finding, Machine
from firmware_bridge.config.crosswise import contradictions


def mode(machine: Machine) -> Iterator[Finding]:
    """Whether other keys leave the service's mode what it stands for."""
    for what, remedy in contradictions(machine.config):
        yield Finding("WARN", "mode", what, remedy)
    config = machine.config
    if config.house.disclose == "sealed" and config.pins.reveal is None and "reveal" not in config.mqtt.commands:
        what = f"cards are sealed and nobody can open them: each round waits {config.house.reveal_timeout} s"
        yield Finding("WARN", "mode", what, 'wire a key, [pins] reveal, or write [mqtt] commands = [.., "reveal"]')
