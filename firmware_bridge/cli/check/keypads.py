"""Checks of the keypads at the seats: their ports."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Final

from firmware_bridge.cli.check.finding import Finding, Machine
from firmware_bridge.cli.check.reader import connect
from firmware_bridge.daemon.devices.keypads import BAUD, LOST
from hardware.errors import PortError
from hardware.ports import SOCKET, close_tty, open_tty

REMEDY: Final = "check its power and cable, and its port in [[keypad]]"


def keypads(machine: Machine) -> Iterator[Finding]:
    """Whether each port can be opened; where the daemon has them, whether it hears every pad."""
    pads = machine.config.keypad
    if machine.daemon:
        alarms = {each["id"]: each for each in machine.daemon["alarm"]["open"]}
        if pads and LOST in alarms:
            yield Finding("FAIL", "keypads", alarms[LOST]["detail"], alarms[LOST]["todo"])
        elif pads:
            yield Finding("OK", "keypads", f"{len(pads)}, held by the daemon")
        return
    for pad in pads:
        seats = ", ".join(map(str, pad.seats))
        try:
            if pad.port.startswith(SOCKET):
                asyncio.run(connect(pad.port, BAUD))
            else:
                close_tty(open_tty(pad.port, BAUD))
        except PortError as error:
            what = str(error).partition(": ")[0].replace("reader", "keypad")  # a port is a reader's elsewhere
            yield Finding("FAIL", "keypads", f"{what}, of seats {seats}", REMEDY)
        else:
            yield Finding("OK", "keypads", f"of seats {seats} at {pad.port}, free to open")
