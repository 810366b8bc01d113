"""`shoe calibrate keypad`: asks for each key, and says which one came."""

from __future__ import annotations

import asyncio
from functools import partial

from firmware_bridge.cli.calibrate.visit import Visit
from firmware_bridge.config.calibration import Count, CountSection
from firmware_bridge.config.pins import KeypadConfig
from firmware_bridge.daemon.devices.keypads import BAUD
from firmware_bridge.daemon.devices.wires import OF_SEAT, wires
from hardware.calibrate.figures import Refusal
from hardware.errors import PortError
from hardware.keypads import Hello, KeypadLink, Mark, greeting
from hardware.pins.pin import Pin, PinFactory, pin_factory
from hardware.pins.sensors import Key
from hardware.ports import Port


def run(visit: Visit, factory: PinFactory = None) -> int:
    """Ask for each key; 0 if all came. Raises Refusal."""
    known = ("next", "reveal", *visit.config.rules.play.keys)
    keys = {name: pin for name, pin in wires(visit.config).items() if name in known or name.startswith(OF_SEAT)}
    pads = {f"pad of seat {seat}": (pad, seat) for pad in visit.config.keypad for seat in pad.seats}
    if not keys and not pads:
        raise Refusal("no keys are configured", "name their pins in [pins] and [keys], and keypads in [[keypad]]")
    with visit.borrow("pins"):
        if keys:
            asyncio.run(pressed(visit, keys, factory or pin_factory(visit.config.pins.factory)))
        for pad in visit.config.keypad:
            asyncio.run(marked(visit, pad))
    felt = [*keys, *pads]
    measured = Count(tried=len(felt), good=len(felt))
    visit.keep(CountSection(at=visit.now, by=visit.by, after=dict.fromkeys(felt, True), measured=measured))
    return visit.done(f"kept: all {len(felt)} keys are felt", measured=measured)


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


async def marked(visit: Visit, pad: KeypadConfig) -> None:
    """Wait for a key of each seat of a serial keypad. Raises Refusal where none comes, or the pad cannot be had."""
    loop, came = asyncio.get_running_loop(), asyncio.Queue[int]()
    link, lost = KeypadLink(), loop.create_future()

    def on_bytes(chunk: bytes) -> None:
        for packet in link.feed(chunk):
            if isinstance(packet, Hello):
                port.write(greeting(packet))
            elif isinstance(packet, Mark):
                if not link.is_taken(packet):
                    came.put_nowait(packet.seat)
                port.write(link.acknowledge(packet))

    def on_lost(why: PortError) -> None:
        if not lost.done():
            lost.set_result(why)

    port = Port(pad.port, BAUD, loop, on_bytes, on_lost, lambda: None)
    port.start()
    try:
        for count, seat in enumerate(pad.seats):
            visit.guide.bar(count / len(pad.seats), count, len(pad.seats), f"press any key at seat {seat}")
            while (pressed_at := await _seat(visit, came, lost, pad, seat)) != seat:
                visit.guide.say(f"that was seat {pressed_at}: press at seat {seat}, or correct seats in [[keypad]]")
    finally:
        port.close()


async def _seat(
    visit: Visit, came: asyncio.Queue[int], lost: asyncio.Future[PortError], pad: KeypadConfig, seat: int
) -> int:
    """The seat whose key comes next. Raises Refusal."""
    getting = asyncio.ensure_future(came.get())
    await asyncio.wait((getting, lost), timeout=visit.patience_s, return_when=asyncio.FIRST_COMPLETED)
    if getting.done():
        return getting.result()
    getting.cancel()
    if lost.done():
        raise Refusal(f"the keypad at {pad.port} is lost: {lost.result()}", "check its power and cable")
    what = f"no key of seat {seat} came within {visit.patience_s:.0f} s"
    raise Refusal(what, f"check the keypad at {pad.port}, and seats in [[keypad]]")


async def _next(visit: Visit, felt: asyncio.Queue[str], name: str, pin: Pin) -> str:
    try:
        return await asyncio.wait_for(felt.get(), visit.patience_s)
    except TimeoutError:
        raise Refusal(
            f"{name.upper()} was not pressed within {visit.patience_s:.0f} s", f"check its wire at GPIO {pin.number}"
        ) from None
