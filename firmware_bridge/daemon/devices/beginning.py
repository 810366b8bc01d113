"""The line of the log that says what began."""

from __future__ import annotations

from firmware_bridge import __version__
from firmware_bridge.config.sections import Config
from firmware_bridge.daemon.devices.wires import wires
from firmware_bridge.shoe import Shoe


def beginning(config: Config, shoe: Shoe) -> str:
    """How a table began, in one line for the log."""
    pins = len(wires(config))
    parts = (
        f"version {__version__}",
        f"table {config.table.id}, {config.table.game}",
        f"reader {config.reader.protocol} at {config.reader.port}",
        f"pins {config.pins.factory}, {pins} wires" if pins else "no pins",
        f"journal {shoe.journal} in {config.journal.dir}, entry {shoe.seq}",
        f"shoe {shoe.number} {shoe.status}, round {shoe.round}" if shoe.number else "no shoe yet",
    )
    return "; ".join(parts)
