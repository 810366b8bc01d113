"""`shoe calibrate cut-card`, `lamps` and `keypad`: measures the sensor, lights each lamp, asks for each key."""

import asyncio
from functools import partial
from typing import Final

from firmware_bridge.cli.calibrate.session import Session
from firmware_bridge.config.calibration import Count, CountSection, CutCardSection, Pulses, Value
from firmware_bridge.config.pins import KeypadConfig
from firmware_bridge.daemon.devices.keypads import BAUD
from firmware_bridge.daemon.devices.wires import OF_SEAT, wires
from hardware.calibrate.figures import Refusal
from hardware.calibrate.pulses import Dwell, EdgeWatch, Pulse, SingleLamp, dwell
from hardware.errors import PortError
from hardware.keypads import NEXT, Hello, KeypadLink, Mark, greeting
from hardware.pins.pin import Pin, PinFactory, pin_factory
from hardware.pins.sensors import Key
from hardware.ports import Port

CARDS, CUTS = 5, 3
CARDS_S: Final = 10.0
"""Seconds for pulling cards if there is no one to answer the question."""

LOOK_S: Final = 0.05


def cut_card(session: Session, factory: PinFactory = None) -> int:
    """Measure the pulses and propose the sensor's settings; return 0. Raises Refusal."""
    pin = wires(session.config).get("cut_card")
    if pin is None:
        raise Refusal("no cut-card sensor is configured", "set its pin: [pins] cut_card")
    with session.borrow("pins"):
        section = asyncio.run(measured(session, pin, factory or pin_factory(session.config.pins.factory)))
    session.keep(section)
    text = f"kept: debounce {section.after['debounce_ms']} ms, minimum dwell {section.after['min_dwell_ms']} ms; "
    when = f"used from the next start, if the config has only [pins] cut_card = {pin.number}"
    return session.done(text + when, after=section.after, measured=section.measured)


async def measured(session: Session, pin: Pin, factory: PinFactory) -> CutCardSection:
    """Record the sensor's pulses of cards, then of the cut card. Raises Refusal."""
    watch = EdgeWatch(pin, factory)
    try:
        session.guide.say(f"pull {CARDS} ordinary cards")
        if session.guide.unattended:
            await asyncio.sleep(min(CARDS_S, session.patience_s))
        else:
            session.guide.ask("done?", "y")
        cards = watch.drain()
        saw = f"{len(cards)} of them" if cards else "none of them, which is right"
        session.guide.say(f"the sensor saw {saw}; pull the cut card {CUTS} times")
        cut = await _cuts(session, watch)
    finally:
        watch.close()
    return _section(session, pin, cards, cut, dwell(cards, cut))


async def _cuts(session: Session, watch: EdgeWatch) -> list[Pulse]:
    waited = 0.0
    while len(pulses := watch.pulses()) < CUTS and waited < session.patience_s:
        session.guide.bar(len(pulses) / CUTS, len(pulses), CUTS, "held" if watch.active else "")
        await asyncio.sleep(LOOK_S)
        waited += LOOK_S
    if 0 < len(pulses) < CUTS:
        raise Refusal(f"the cut card was seen {len(pulses)} of {CUTS} times", "hold it as a dealer does; try again")
    return watch.drain()


def _section(session: Session, pin: Pin, cards: list[Pulse], cut: list[Pulse], found: Dwell) -> CutCardSection:
    held = [round(pulse.held_ms, 2) for pulse in cut]
    return CutCardSection(
        at=session.now,
        by=session.by,
        before={"debounce_ms": pin.debounce_ms},
        after={"debounce_ms": found.debounce_ms, "min_dwell_ms": found.min_dwell_ms},
        measured=Pulses(
            passes=len(cut),
            card_longest=round(max((pulse.held_ms for pulse in cards), default=0.0), 2),
            cut_shortest=min(held),
            cut_longest=max(held),
            bounce_longest=round(max(pulse.bounce_ms for pulse in (*cards, *cut)), 2),
        ),
    )


NOT_LOOKED_AT: Final = "not looked at"
"""Record of a lamp that was lit with no one to look at it."""

UNSEEN: Final = "all {} outputs are driven, but no one looked at the lamps; to look, leave out --yes"


def lamps(session: Session, factory: PinFactory = None) -> int:
    """Light each lamp; return 0 if all are seen. Raises Refusal.

    With `--yes` no one looks: 0 if each pin has its level, and the record says that no lamp was looked at.
    """
    pins = {name: pin for name, pin in wires(session.config).items() if name in session.config.lamps}
    if not pins:
        raise Refusal("no lamps are configured", "set their pins in [lamps]")
    with session.borrow("pins"):
        known = factory or pin_factory(session.config.pins.factory)
        lit = {name: _is_lit(session, name, pin, known) for name, pin in pins.items()}
    looked = not session.guide.unattended
    if dark := [name for name, is_lit in lit.items() if not is_lit]:
        raise Refusal(f"not {'seen' if looked else 'driven'}: {', '.join(dark)}", "check their wires: shoe wiring")
    measured = Count(tried=len(lit), good=len(lit) if looked else 0)
    after: dict[str, Value] = dict.fromkeys(lit, True if looked else NOT_LOOKED_AT)
    session.keep(CountSection(at=session.now, by=session.by, after=after, measured=measured))
    seen = f"all {len(lit)} lamps are seen"
    return session.done(f"kept: {seen if looked else UNSEEN.format(len(lit))}", after=after, measured=measured)


def _is_lit(session: Session, name: str, pin: Pin, factory: PinFactory) -> bool:
    lamp = SingleLamp(pin, factory)
    try:
        if session.guide.unattended:
            session.guide.say(f"{name} is lit (GPIO {pin.number})")
            return lamp.is_lit
        return session.guide.ask(f"{name} (GPIO {pin.number}): is it lit, and no other lamp?") == "y"
    finally:
        lamp.close()


def keypad(session: Session, factory: PinFactory = None) -> int:
    """Ask for each key; return 0 if all came. Raises Refusal."""
    known = ("next", "reveal", "unmark", *session.config.rules.play.keys)
    keys = {name: pin for name, pin in wires(session.config).items() if name in known or name.startswith(OF_SEAT)}
    pads = [f"pad of {_of(seat)}" for pad in session.config.keypad for seat in _places(pad)]
    if not keys and not pads:
        raise Refusal("no keys are configured", "set their pins in [pins] and [keys], and keypads in [[keypad]]")
    with session.borrow("pins"):
        if keys:
            asyncio.run(pressed(session, keys, factory or pin_factory(session.config.pins.factory)))
        for pad in session.config.keypad:
            asyncio.run(marked(session, pad))
    tested = [*keys, *pads]
    measured = Count(tried=len(tested), good=len(tested))
    session.keep(CountSection(at=session.now, by=session.by, after=dict.fromkeys(tested, True), measured=measured))
    return session.done(f"kept: all {len(tested)} keys work", measured=measured)


async def pressed(session: Session, keys: dict[str, Pin], factory: PinFactory) -> None:
    """Wait for each key in turn. Raises Refusal if one does not come."""
    presses: asyncio.Queue[str] = asyncio.Queue()
    loop = asyncio.get_running_loop()
    contacts = {name: Key(pin, factory, loop, partial(presses.put_nowait, name)) for name, pin in keys.items()}
    try:
        for name, contact in contacts.items():
            if contact.active:
                raise Refusal(f"{name.upper()} is already held down", "release it, or check active_low in [pins]")
        for count, (name, pin) in enumerate(keys.items()):
            session.guide.bar(count / len(keys), count, len(keys), f"press {name.upper()}")
            while (came := await _key(session, presses, name, pin)) != name:
                session.guide.say(f"that was {came.upper()}: press {name.upper()}, or swap their wires")
    finally:
        for contact in contacts.values():
            contact.close()


DEALER: Final = 0
"""The place of NEXT among the seats of a keypad."""


def _places(pad: KeypadConfig) -> tuple[int, ...]:
    return (*pad.seats, *(DEALER,) * pad.dealer)


def _of(seat: int) -> str:
    return "the dealer" if seat == DEALER else f"seat {seat}"


async def marked(session: Session, pad: KeypadConfig) -> None:
    """Wait for a key of each seat of a serial keypad, and for the dealer's NEXT.

    Raises Refusal if none comes or the port cannot be opened.
    """
    loop, came = asyncio.get_running_loop(), asyncio.Queue[int]()
    link, lost = KeypadLink(), loop.create_future()

    def on_bytes(chunk: bytes) -> None:
        for packet in link.feed(chunk):
            if isinstance(packet, Hello):
                port.write(greeting(packet))
            elif isinstance(packet, Mark):
                if not link.is_acknowledged(packet):
                    came.put_nowait(DEALER if packet.word == NEXT else packet.seat)
                port.write(link.acknowledge(packet))

    def on_lost(why: PortError) -> None:
        if not lost.done():
            lost.set_result(why)

    port = Port(pad.port, BAUD, loop, on_bytes, on_lost, lambda: None)
    port.start()
    try:
        for count, seat in enumerate(places := _places(pad)):
            key, at = ("NEXT", "NEXT") if seat == DEALER else (f"any key at seat {seat}", f"at seat {seat}")
            session.guide.bar(count / len(places), count, len(places), f"press {key}")
            while (pressed_at := await _seat(session, came, lost, pad, seat)) != seat:
                session.guide.say(f"that was {_of(pressed_at)}: press {at}, or correct seats in [[keypad]]")
    finally:
        port.close()


async def _seat(
    session: Session, came: asyncio.Queue[int], lost: asyncio.Future[PortError], pad: KeypadConfig, seat: int
) -> int:
    """Return the seat of the next key. Raises Refusal if none comes."""
    getting = asyncio.ensure_future(came.get())
    await asyncio.wait((getting, lost), timeout=session.patience_s, return_when=asyncio.FIRST_COMPLETED)
    if getting.done():
        return getting.result()
    getting.cancel()
    if lost.done():
        raise Refusal(f"the keypad at {pad.port} is lost: {lost.result()}", "check its power and cable")
    what = f"no key of {_of(seat)} was pressed within {session.patience_s:.0f} s"
    raise Refusal(what, f"check the keypad at {pad.port}, and seats in [[keypad]]")


async def _key(session: Session, presses: asyncio.Queue[str], name: str, pin: Pin) -> str:
    try:
        return await asyncio.wait_for(presses.get(), session.patience_s)
    except TimeoutError:
        raise Refusal(
            f"{name.upper()} was not pressed within {session.patience_s:.0f} s", f"check its wire at GPIO {pin.number}"
        ) from None
