"""Checks of the pins: the library that drives them, and each wire."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator

from firmware_bridge.cli.check.finding import Finding, Machine, failed
from firmware_bridge.daemon.devices.wires import wires
from hardware.errors import PinError
from hardware.pins.pin import pin_factory, try_pin


def pins(machine: Machine) -> Iterator[Finding]:
    """Whether each configured wire can be had; not while the daemon has them: a lamp would go dark."""
    name, wanted = machine.config.pins.factory, wires(machine.config)
    if not wanted:
        yield Finding("WARN", "pins", "none configured", "no lamp lights and no key is heard: see [pins] and [lamps]")
        return
    if name == "mock":
        remedy = 'on a Raspberry Pi write [pins] factory = "lgpio"'
        yield Finding("WARN", "pins", "simulated: no lamp lights and no key is heard", remedy)
    if machine.daemon:
        yield Finding("OK", "pins", f"{len(wanted)} wires, held by the daemon")
        return
    # lgpio leaves a pipe in the working directory.
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(scratch):
        try:
            factory = pin_factory(name)
        except PinError as error:
            yield failed("pins", str(error))
            return
        with contextlib.closing(factory):
            faults = []
            for key, pin in wanted.items():
                try:
                    try_pin(pin, factory)
                except PinError as error:
                    faults.append(failed("pins", f"{key} on {error}"))
    yield from faults or [Finding("OK", "pins", f"{len(wanted)} wires by {name}, free to claim")]
