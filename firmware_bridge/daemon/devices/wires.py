"""The wires of a table, by their config keys."""

from typing import Final

from msgspec.structs import asdict

from firmware_bridge.config.pins import AnyPin, PinConfig, PinsConfig, SensorConfig
from firmware_bridge.config.sections import Config
from hardware.pins.pin import Pin

OUTPUTS: Final = ("buzzer", "lock")
"""Wires among `[pins]` that the daemon drives."""

IN_SLOT: Final = "presence "
"""Prefix of the slot of a presence sensor."""


OF_SEAT: Final = "key "
"""Prefix of the name of a seat's key."""


def wires(config: Config) -> dict[str, Pin]:
    """Return all wires of a table; a sensor in a slot is named `presence` and the slot's name."""
    return input_pins(config) | output_pins(config)


def input_pins(config: Config) -> dict[str, Pin]:
    """Return the wires of sensors, switches and keys."""
    pins = {name: pin for name, pin in _pins(config.pins).items() if name not in OUTPUTS}
    keys = {key: wire(pin) for key, pin in config.pins.keys.items()}
    of_seats = {OF_SEAT + key: wire(pin) for key, pin in config.keys.items()}
    return pins | keys | of_seats | {IN_SLOT + slot: wire(pin) for slot, pin in config.presence.items()}


def output_pins(config: Config) -> dict[str, Pin]:
    """Return the wires of lamps, buzzer and lock."""
    pins = {name: pin for name, pin in _pins(config.pins).items() if name in OUTPUTS}
    return pins | {lamp: wire(pin) for lamp, pin in config.lamps.items()}


def wire(pin: AnyPin) -> Pin:
    """Return the wire of a config's pin."""
    if isinstance(pin, PinConfig):
        dwell = pin.min_dwell_ms if isinstance(pin, SensorConfig) else 0
        return Pin(pin.pin, pin.active_low, pin.pull_up, pin.debounce_ms, dwell)
    return Pin(pin)


def _pins(section: PinsConfig) -> dict[str, Pin]:
    named = asdict(section).items()
    return {name: wire(pin) for name, pin in named if pin is not None and name not in ("factory", "keys")}
