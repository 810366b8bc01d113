"""Contacts touched in virtual time: levels by the millisecond in, the times of what was reported out."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from hardware.pins.pin import Pin, pin_factory
from hardware.pins.sensors import CutCardSensor, Key
from hardware.sim.pins import MockPins
from tests.kit.virtual import VirtualLoop, run

WIRE = Pin(27, debounce_ms=20)

Play = Callable[[MockPins], Awaitable[None]]


def events(
    play: Play,
    pin: Pin = WIRE,
    contact: Callable[..., Key | CutCardSensor] = Key,
    before: bool | None = None,
) -> list[int]:
    """The times in ms at which the contact reported, while `play(mock)` went on."""

    async def main() -> list[int]:
        loop = asyncio.get_running_loop()
        patch.setattr("gpiozero.pins.mock.monotonic", loop.time)
        factory = pin_factory("mock")
        mock = MockPins(factory)
        if before is not None:
            mock.switch(pin, before)
        seen: list[int] = []
        device = contact(pin, factory, loop, lambda: seen.append(round(1000 * loop.time())))
        await play(mock)
        await asyncio.sleep(1)
        device.close()
        factory.close()
        return seen

    with pytest.MonkeyPatch.context() as patch:
        return run(main())


def pulses(*spans: float) -> Play:
    """Levels by time in ms: active from, to; from, to .."""

    async def play(mock: MockPins) -> None:
        loop = asyncio.get_running_loop()
        for at, active in zip(spans, [True, False] * len(spans), strict=False):
            await asyncio.sleep(at / 1000 - loop.time())
            mock.drive(WIRE, active)

    return play


def heard_late(*spans: float, until: float = 400) -> Play:
    """The same, while the loop is busy `until` then and hears of every edge at once."""

    async def play(mock: MockPins) -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        for at, active in zip(spans, [True, False] * len(spans), strict=False):
            loop.turn_to(at / 1000)
            mock.drive(WIRE, active)
        loop.turn_to(until / 1000)

    return play


def on_their_way(*spans: tuple[float, float]) -> Play:
    """The same, each with how many ms its edge takes to the loop, in order; the level is there at once."""

    async def play(mock: MockPins) -> None:
        loop = asyncio.get_running_loop()
        wire = mock._factory.pin(WIRE.number)
        heard = 0.0
        for (at, late), active in zip(spans, [True, False] * len(spans), strict=False):
            await asyncio.sleep(at / 1000 - loop.time())
            wire._change_state(not active)
            heard = max(heard + 1e-6, (at + late) / 1000)
            loop.call_at(heard, wire._when_changed(), at / 1000, not active)

    return play
