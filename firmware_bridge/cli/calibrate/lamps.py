"""`shoe calibrate lamps`: lights one lamp after the other; the technician says which are seen."""

from __future__ import annotations

from firmware_bridge.cli.calibrate.visit import Visit
from firmware_bridge.config.calibration import Count, CountSection
from firmware_bridge.devices.wires import wires
from hardware.calibrate import Refusal, SingleLamp
from hardware.pins.factories import pin_factory
from hardware.pins.pin import Pin, PinFactory


def run(visit: Visit, factory: PinFactory = None) -> int:
    """Light each lamp; 0 if all are seen (`--yes`: if each pin has the level it was set to). Raises Refusal."""
    lamps = {name: pin for name, pin in wires(visit.config).items() if name in visit.config.lamps}
    if not lamps:
        raise Refusal("no lamps are configured", "name their pins in [lamps]")
    with visit.borrow("pins"):
        pins = factory or pin_factory(visit.config.pins.factory)
        seen = {name: _is_seen(visit, name, pin, pins) for name, pin in lamps.items()}
    dark = [name for name, lit in seen.items() if not lit]
    if dark:
        raise Refusal(f"not seen: {', '.join(dark)}", "check their wires: shoe wiring")
    measured = Count(tried=len(seen), good=len(seen) - len(dark))
    visit.keep(CountSection(at=visit.now, by=visit.by, after=dict(seen), measured=measured))
    return visit.done(f"kept: all {len(seen)} lamps are seen", measured=measured)


def undo(visit: Visit) -> int:
    """Forget the last test of the lamps; 0."""
    _ = visit.last
    visit.forget()
    return visit.done("what was seen is forgotten")


def _is_seen(visit: Visit, name: str, pin: Pin, factory: PinFactory) -> bool:
    lamp = SingleLamp(pin, factory)
    try:
        if visit.guide.unattended:
            visit.guide.say(f"{name} is lit (GPIO {pin.number})")
            return lamp.is_lit
        return visit.guide.ask(f"{name} (GPIO {pin.number}): is it lit, and no other?") == "y"
    finally:
        lamp.close()
