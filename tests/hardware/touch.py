"""Contacts touched in virtual time: levels by the millisecond in, the times of what was reported out."""

import asyncio

import pytest

from hardware.pins.factories import pin_factory
from hardware.pins.pin import Pin
from hardware.pins.sensors import Key
from hardware.sim.pins import MockPins
from tests.hardware.virtual import run

WIRE = Pin(27, debounce_ms=20)


def events(play, pin=WIRE, contact=Key, before=None):
    """The times in ms at which the contact reported, while `play(mock)` went on."""

    async def main():
        loop = asyncio.get_running_loop()
        patch.setattr("gpiozero.pins.mock.monotonic", loop.time)
        factory = pin_factory("mock")
        mock = MockPins(factory)
        if before is not None:
            mock.switch(pin, before)
        seen = []
        device = contact(pin, factory, loop, lambda: seen.append(round(1000 * loop.time())))
        await play(mock)
        await asyncio.sleep(1)
        device.close()
        factory.close()
        return seen

    with pytest.MonkeyPatch.context() as patch:
        return run(main())


def pulses(*spans):
    """Levels by time in ms: active from, to; from, to .."""

    async def play(mock):
        loop = asyncio.get_running_loop()
        for at, active in zip(spans, [True, False] * len(spans), strict=False):
            await asyncio.sleep(at / 1000 - loop.time())
            mock.drive(WIRE, active)

    return play


def heard_late(*spans, until=400):
    """The same, while the loop is busy `until` then and hears of every edge at once."""

    async def play(mock):
        loop = asyncio.get_running_loop()
        for at, active in zip(spans, [True, False] * len(spans), strict=False):
            loop.turn_to(at / 1000)
            mock.drive(WIRE, active)
        loop.turn_to(until / 1000)

    return play
