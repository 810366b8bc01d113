"""Which wire of a table goes to which pin of the header."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from firmware_bridge.devices.wires import IN_SLOT, OUTPUTS
from firmware_bridge.games import GAMES
from hardware.pi.header import header_pins
from hardware.pins.pin import Pin

Kind = Literal["power", "ground", "wire", "free"]

INPUTS: Final = {
    "cut_card": "cut-card sensor",
    "next": "NEXT key",
    "reveal": "REVEAL key",
    **{key: f"{key.upper()} key" for game in GAMES.values() for key in game.keys},
    "lid": "lid switch",
    "presence": "presence sensor",
}
"""What people call the inputs of `[pins]`."""


class HeaderPin(NamedTuple):
    """A pin of the header: its number 1..40, its name (`GPIO17`, `3V3`, `GND`), and what a table has there."""

    number: int
    name: str
    kind: Kind
    wires: tuple[str, ...] = ()
    active_low: bool = False


def header(wires: Mapping[str, Pin]) -> list[HeaderPin]:
    """All pins in order; `wires` by config key."""
    return [_pin(number, name, wires) for number, name in header_pins()]


def label(wire: str) -> str:
    """What people call a wire."""
    if wire in OUTPUTS or wire.startswith(IN_SLOT):
        return wire
    return INPUTS.get(wire) or f"lamp {wire}"


def _pin(number: int, name: str, wires: Mapping[str, Pin]) -> HeaderPin:
    if not name.startswith("GPIO"):
        return HeaderPin(number, name, "ground" if name == "GND" else "power")
    gpio = int(name.removeprefix("GPIO"))
    here = {wire: pin for wire, pin in wires.items() if pin.number == gpio}
    if not here:
        return HeaderPin(number, name, "free")
    active_low = any(not pin.active_level(wire in INPUTS or wire.startswith(IN_SLOT)) for wire, pin in here.items())
    return HeaderPin(number, name, "wire", tuple(label(wire) for wire in here), active_low)
