"""Single wires on the bench: every edge of a sensor with its time, and one lamp by itself."""

import time

from hardware.calibrate.pulses import Pulse, pulses_in
from hardware.pins.pin import Pin, PinFactory, claim


class EdgeWatch:
    """Owns a sensor's pin until `close`. Raises PinError where it cannot be had."""

    def __init__(self, pin: Pin, factory: PinFactory) -> None:
        from gpiozero import InputDevice  # here: a table without pins does not load gpiozero

        self._level = pin.active_level(is_input=True)
        self._edges: list[tuple[float, bool]] = []
        self._device = claim(InputDevice, pin, pull_up=pin.pull_up, pin_factory=factory)
        self._device.pin.edges = "both"
        self._device.pin.when_changed = self._changed

    @property
    def active(self) -> bool:
        """Whether the sensor is active now."""
        return bool(self._device.pin.state) == self._level

    def pulses(self) -> list[Pulse]:
        """The passes so far."""
        return pulses_in(list(self._edges), _now_ms())

    def take(self) -> list[Pulse]:
        """The passes so far, which are then forgotten."""
        pulses = self.pulses()
        self._edges.clear()
        return pulses

    def close(self) -> None:
        """Give the pin back."""
        self._device.close()

    def _changed(self, _ticks: object, state: object) -> None:
        self._edges.append((_now_ms(), bool(state) == self._level))  # gpiozero's own thread


class SingleLamp:
    """Owns a lamp's pin, lit, until `close`. Raises PinError where it cannot be had."""

    def __init__(self, pin: Pin, factory: PinFactory) -> None:
        from gpiozero import DigitalOutputDevice  # as above

        self._level = pin.active_level(is_input=False)
        self._device = claim(DigitalOutputDevice, pin, active_high=self._level, initial_value=True, pin_factory=factory)

    @property
    def is_lit(self) -> bool:
        """Whether the pin has the level that lights it, read back."""
        return bool(self._device.pin.state) == self._level

    def close(self) -> None:
        """Switch the lamp off and give the pin back."""
        self._device.off()
        self._device.close()


def _now_ms() -> float:
    return 1000 * time.monotonic()
