"""Wiring of a GPIO pin, claiming it, and the libraries that drive it, by name."""

from collections.abc import Callable
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

from hardware.errors import PinBusy, PinError

PinFactory = Any  # gpiozero.Factory; gpiozero ships no types

_BUSY = ("GPIO busy", "already in use")
"""Error texts of lgpio, and of gpiozero for a pin that this process uses."""

FACTORIES: dict[str, tuple[str, str, str]] = {
    "lgpio": (
        "hardware.pins.lgpio:factory",
        "sudo apt install python3-lgpio, or pip install '.[pi]'",
        "it needs a Raspberry Pi, a user in the group gpio and a writable working directory",
    ),
    "rpigpio": (
        "gpiozero.pins.rpigpio:RPiGPIOFactory",
        "pip install '.[rpi-gpio]', or use lgpio",
        "it needs a Raspberry Pi up to 4 and a kernel before 6.6; elsewhere use lgpio",
    ),
    "mock": ("gpiozero.pins.mock:MockFactory", "pip install gpiozero", "reinstall gpiozero"),
}
"""Name -> factory, remedy if it is not installed, remedy if it does not start."""


@dataclass(frozen=True, slots=True)
class Pin:
    """One wire: `number` is BCM's.

    pull_up: the resistor of an input. active_low: None for the usual, low for an input with a pull-up (switched to
    ground), else high. debounce_ms: how long an input must be quiet after an edge. min_dwell_ms: how long it must
    stay active to count.
    """

    number: int
    active_low: bool | None = None
    pull_up: bool = True
    debounce_ms: int = 20
    min_dwell_ms: int = 0

    def active_level(self, is_input: bool) -> bool:
        """Return the level (True: high) at which the pin is active."""
        if self.active_low is None:
            return not (is_input and self.pull_up)
        return not self.active_low


def claim(build: Callable[..., Any], pin: Pin, **options: Any) -> Any:
    """Return a gpiozero device on `pin`. Raises PinError with its remedy, PinBusy if the pin is in use."""
    try:
        return build(pin.number, **options)
    except Exception as error:  # each library has its own errors, some of them bare
        what = f"GPIO {pin.number} cannot be used ({error})"
        if any(words in str(error) for words in _BUSY):
            raise PinBusy(f"{what}: stop the program that uses it, such as another `shoe calibrate`") from error
        raise PinError(f"{what}: correct its number in [pins], [presence] or [lamps]") from error


def try_pin(pin: Pin, factory: PinFactory) -> None:
    """Claim a wire as an input and release it; no lamp lights, a lit one goes dark. Raises PinError."""
    from gpiozero import InputDevice  # here: a table without pins does not load gpiozero

    claim(InputDevice, pin, pull_up=pin.pull_up, pin_factory=factory).close()


def pin_factory(name: str) -> PinFactory:
    """Return the gpiozero factory of a name in `FACTORIES`, never gpiozero's fallback. Raises PinError."""
    if name not in FACTORIES:
        raise PinError(f"[pins] factory {name!r} is unknown: write one of {', '.join(FACTORIES)}")
    factory, to_install, to_start = FACTORIES[name]
    try:
        return resolve_name(factory)()
    except ImportError as error:
        raise PinError(f"[pins] factory {name} is not installed ({error}): {to_install}") from None
    except Exception as error:  # each library has its own errors, some of them bare
        raise PinError(f"[pins] factory {name} does not start ({error}): {to_start}") from error
