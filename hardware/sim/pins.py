"""Drives gpiozero's mock pins as people would: presses keys, passes the cut card, reads the lamps."""

import asyncio

from gpiozero.pins.mock import MockPin

from hardware.pins.pin import Pin, PinFactory

BOUNCE = 0.001  # seconds per bounce of a contact


class Switched(MockPin):  # type: ignore[misc]  # gpiozero ships no types
    """Pin with a switch that overrides any pull resistor."""

    def _set_pull(self, value: str) -> None:
        self._pull = value


class MockPins:
    """Drives the inputs of a `pin_factory("mock")` and reads its outputs; contacts bounce like real ones."""

    def __init__(self, factory: PinFactory) -> None:
        self._factory = factory

    def switch(self, pin: Pin, active: bool) -> None:
        """Wire a switch to the input `pin` before it is claimed; the state survives claims and releases."""
        self._factory.pin(pin.number, pin_class=Switched)
        self.drive(pin, active)

    def drive(self, pin: Pin, active: bool) -> None:
        """Set the input `pin` active or idle, without a bounce."""
        wire = self._factory.pin(pin.number)
        if pin.active_level(is_input=True) == active:
            wire.drive_high()
        else:
            wire.drive_low()

    async def press(self, pin: Pin, seconds: float = 0.08, bounces: int = 3) -> None:
        """Press a key for `seconds`; it bounces when pressed and when released."""
        await self._bounce(pin, True, bounces)
        await asyncio.sleep(seconds)
        await self._bounce(pin, False, bounces)

    async def pass_cut_card(self, pin: Pin, seconds: float = 0.015, bounces: int = 3) -> None:
        """Pass the cut card over its sensor in `seconds`."""
        await self.press(pin, seconds, bounces)

    def lit(self, pin: Pin) -> bool:
        """Return whether the lamp at `pin` is lit at this moment; one that is not driven is dark."""
        wire = self._factory.pin(pin.number)
        return wire.function == "output" and bool(wire.state) == pin.active_level(is_input=False)

    async def _bounce(self, pin: Pin, active: bool, bounces: int) -> None:
        for _ in range(bounces):  # open for a moment only: a slow machine must not turn one press into two
            self.drive(pin, False)
            self.drive(pin, True)
            await asyncio.sleep(BOUNCE)
        self.drive(pin, active)
