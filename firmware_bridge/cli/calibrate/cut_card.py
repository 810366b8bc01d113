"""`shoe calibrate cut-card`: how long cards and the cut card hold the sensor, and how it bounces."""

from __future__ import annotations

import asyncio
from typing import Final

from firmware_bridge.cli.calibrate.visit import Visit
from firmware_bridge.config.calibration import CutCardSection, Pulses
from firmware_bridge.daemon.devices.wires import wires
from hardware.calibrate.figures import Refusal
from hardware.calibrate.pulses import Dwell, EdgeWatch, Pulse, dwell
from hardware.pins.pin import Pin, PinFactory, pin_factory

CARDS, CUTS = 5, 3
CARDS_S: Final = 10.0
"""Seconds in which cards may be pulled where nobody answers that they were."""

LOOK_S: Final = 0.05


def run(visit: Visit, factory: PinFactory = None) -> int:
    """Measure the pulses and propose the sensor's settings; 0. Raises Refusal."""
    pin = wires(visit.config).get("cut_card")
    if pin is None:
        raise Refusal("no cut-card sensor is configured", "name its pin: [pins] cut_card")
    with visit.borrow("pins"):
        section = asyncio.run(measured(visit, pin, factory or pin_factory(visit.config.pins.factory)))
    visit.keep(section)
    text = f"kept: debounce {section.after['debounce_ms']} ms, least dwell {section.after['min_dwell_ms']} ms; "
    when = f"used from the next start on, where the config says no more than [pins] cut_card = {pin.number}"
    return visit.done(text + when, after=section.after, measured=section.measured)


def undo(visit: Visit) -> int:
    """Forget what was measured last; 0."""
    _ = visit.last
    visit.forget()
    return visit.done("what was measured is forgotten")


async def measured(visit: Visit, pin: Pin, factory: PinFactory) -> CutCardSection:
    """Watch the sensor while cards, then the cut card pass. Raises Refusal."""
    watch = EdgeWatch(pin, factory)
    try:
        visit.guide.say(f"pull {CARDS} ordinary cards")
        if visit.guide.unattended:
            await asyncio.sleep(min(CARDS_S, visit.patience_s))
        else:
            visit.guide.ask("done?", "y")
        cards = watch.take()
        saw = f"{len(cards)} of them" if cards else "none of them, as it should be"
        visit.guide.say(f"the sensor saw {saw}; pull the cut card {CUTS} times")
        cut = await _cuts(visit, watch)
    finally:
        watch.close()
    return _section(visit, pin, cards, cut, dwell(cards, cut))


async def _cuts(visit: Visit, watch: EdgeWatch) -> list[Pulse]:
    waited = 0.0
    while len(pulses := watch.pulses()) < CUTS and waited < visit.patience_s:
        visit.guide.bar(len(pulses) / CUTS, len(pulses), CUTS, "held" if watch.active else "")
        await asyncio.sleep(LOOK_S)
        waited += LOOK_S
    if 0 < len(pulses) < CUTS:
        raise Refusal(f"the cut card was seen {len(pulses)} of {CUTS} times", "hold it as a dealer does; try again")
    return watch.take()


def _section(visit: Visit, pin: Pin, cards: list[Pulse], cut: list[Pulse], found: Dwell) -> CutCardSection:
    held = [round(pulse.held_ms, 2) for pulse in cut]
    return CutCardSection(
        at=visit.now,
        by=visit.by,
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
