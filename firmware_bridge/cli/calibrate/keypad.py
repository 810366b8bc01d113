"""`shoe calibrate keypad`: asks for each key, and says which one came."""

from __future__ import annotations

import asyncio
from functools import partial

from firmware_bridge.cli.calibrate.visit import Visit
from firmware_bridge.config.calibration import Count, CountSection
from firmware_bridge.devices.wires import wires
from hardware.calibrate import Refusal
from hardware.pins.factories import pin_factory
from hardware.pins.pin import Pin, PinFactory
from hardware.pins.sensors import Key


def run(visit: Visit, factory: PinFactory = None) -> int:
    """Ask for each key; 0 if all came. Raises Refusal."""
    known = ("next", "reveal", *visit.config.rules.keys)
    keys = {name: pin for name, pin in wires(visit.config).items() if name in known}
    if not keys:
        raise Refusal("no keys are configured", "name their pins in [pins]")
    with visit.borrow("pins"):
        asyncio.run(pressed(visit, keys, factory or pin_factory(visit.config.pins.factory)))
    measured = Count(tried=len(keys), good=len(keys))
    visit.keep(CountSection(at=visit.now, by=visit.by, after=dict.fromkeys(keys, True), measured=measured))
    return visit.done(f"kept: all {len(keys)} keys are felt", measured=measured)


def undo(visit: Visit) -> int:
    """Forget the last test of the keys; 0."""
    _ = visit.last
    visit.forget()
    return visit.done("what was felt is forgotten")


async def pressed(visit: Visit, keys: dict[str, Pin], factory: PinFactory) -> None:
    """Wait for each key in its turn. Raises Refusal for one that does not come."""
    felt: asyncio.Queue[str] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    contacts = {name: Key(pin, factory, loop, partial(felt.put_nowait, name)) for name, pin in keys.items()}
    try:
        for name, contact in contacts.items():
            if contact.active:
                raise Refusal(f"{name.upper()} is held down already", "free it; check active_low in [pins]")
        for count, (name, pin) in enumerate(keys.items()):
            visit.guide.bar(count / len(keys), count, len(keys), f"press {name.upper()}")
            while (came := await _next(visit, felt, name, pin)) != name:
                visit.guide.say(f"that was {came.upper()}: press {name.upper()}, or swap their wires")
    finally:
        for contact in contacts.values():
            contact.close()


async def _next(visit: Visit, felt: asyncio.Queue[str], name: str, pin: Pin) -> str:
    try:
        return await asyncio.wait_for(felt.get(), visit.patience_s)
    except TimeoutError:
        raise Refusal(
            f"{name.upper()} was not pressed within {visit.patience_s:.0f} s", f"check its wire at GPIO {pin.number}"
        ) from None
