"""`shoe calibrate lamps`: lights one lamp after the other; the technician says which are seen."""

from __future__ import annotations

from typing import Final

from firmware_bridge.cli.calibrate.visit import Visit
from firmware_bridge.config.calibration import Count, CountSection, Value
from firmware_bridge.daemon.devices.wires import wires
from hardware.calibrate.figures import Refusal
from hardware.calibrate.pulses import SingleLamp
from hardware.pins.pin import Pin, PinFactory, pin_factory

NOT_LOOKED_AT: Final = "not looked at"
"""What is on record of a lamp that was lit while nobody was there."""

UNSEEN: Final = "all {} outputs are driven, and nobody looked at a lamp; to look: leave --yes out"


def run(visit: Visit, factory: PinFactory = None) -> int:
    """Light each lamp; 0 if all are seen. Raises Refusal.

    With `--yes` nobody looks: 0 if each pin has the level it was set to, and on record is that no lamp was looked at.
    """
    lamps = {name: pin for name, pin in wires(visit.config).items() if name in visit.config.lamps}
    if not lamps:
        raise Refusal("no lamps are configured", "name their pins in [lamps]")
    with visit.borrow("pins"):
        pins = factory or pin_factory(visit.config.pins.factory)
        lit = {name: _is_lit(visit, name, pin, pins) for name, pin in lamps.items()}
    looked = not visit.guide.unattended
    if dark := [name for name, is_lit in lit.items() if not is_lit]:
        raise Refusal(f"not {'seen' if looked else 'driven'}: {', '.join(dark)}", "check their wires: shoe wiring")
    measured = Count(tried=len(lit), good=len(lit) if looked else 0)
    after: dict[str, Value] = dict.fromkeys(lit, True if looked else NOT_LOOKED_AT)
    visit.keep(CountSection(at=visit.now, by=visit.by, after=after, measured=measured))
    seen = f"all {len(lit)} lamps are seen"
    return visit.done(f"kept: {seen if looked else UNSEEN.format(len(lit))}", after=after, measured=measured)


def undo(visit: Visit) -> int:
    """Forget the last test of the lamps; 0."""
    _ = visit.last
    visit.forget()
    return visit.done("what was seen is forgotten")


def _is_lit(visit: Visit, name: str, pin: Pin, factory: PinFactory) -> bool:
    lamp = SingleLamp(pin, factory)
    try:
        if visit.guide.unattended:
            visit.guide.say(f"{name} is lit (GPIO {pin.number})")
            return lamp.is_lit
        return visit.guide.ask(f"{name} (GPIO {pin.number}): is it lit, and no other?") == "y"
    finally:
        lamp.close()
