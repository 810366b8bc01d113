"""Which wire of a table goes to which pin of the header."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from firmware_bridge.daemon.devices.wires import IN_SLOT, OUTPUTS
from firmware_bridge.games import GAMES
from hardware.pi import header_pins
from hardware.pins.pin import Pin

Kind = Literal["power", "ground", "wire", "free"]
Use = Literal["", "input", "output"]
"""What a wire is for: a key or sensor that the Pi reads, or a lamp, buzzer or lock that it drives."""

INPUTS: Final = {
    "cut_card": "cut-card sensor",
    "next": "NEXT key",
    "reveal": "REVEAL key",
    **{key: f"{key.upper()} key" for game in GAMES.values() for key in game.keys},
    "lid": "lid switch",
    "presence": "presence sensor",
}
"""What people call the inputs of `[pins]`."""

USES: Final[dict[Use, str]] = {"input": "keys and sensors", "output": "lamps"}
"""What people call the wires of a use."""


class HeaderPin(NamedTuple):
    """A pin of the header: its number 1..40, its name (`GPIO17`, `3V3`, `GND`), and what a table has there.

    A ground that is a good one for wires nearby is of their use too.
    """

    number: int
    name: str
    kind: Kind
    wires: tuple[str, ...] = ()
    active_low: bool = False
    use: Use = ""


def header(wires: Mapping[str, Pin]) -> list[HeaderPin]:
    """All pins in order; `wires` by config key."""
    pins = [_pin(number, name, wires) for number, name in header_pins()]
    for use in USES:
        if (place := _ground(pins, use)) is not None:
            pins[place] = pins[place]._replace(use=use)
    return pins


def label(wire: str) -> str:
    """What people call a wire."""
    if wire in OUTPUTS or wire.startswith(IN_SLOT):
        return wire
    return INPUTS.get(wire) or f"lamp {wire}"


def _ground(pins: list[HeaderPin], use: Use) -> int | None:
    """The ground with the shortest ways to the wires of a use; each use has its own, so that lamps disturb no key."""
    rows = [(pin.number - 1) // 2 for pin in pins if pin.kind == "wire" and pin.use == use]
    free = [place for place, pin in enumerate(pins) if pin.kind == "ground" and not pin.use]
    return min(free, key=lambda place: sum(abs(place // 2 - row) for row in rows)) if rows else None


def _pin(number: int, name: str, wires: Mapping[str, Pin]) -> HeaderPin:
    if not name.startswith("GPIO"):
        return HeaderPin(number, name, "ground" if name == "GND" else "power")
    gpio = int(name.removeprefix("GPIO"))
    here = {wire: pin for wire, pin in wires.items() if pin.number == gpio}
    if not here:
        return HeaderPin(number, name, "free")
    active_low = any(not pin.active_level(_is_input(wire)) for wire, pin in here.items())
    use: Use = "input" if all(map(_is_input, here)) else "output"
    return HeaderPin(number, name, "wire", tuple(label(wire) for wire in here), active_low, use)


def _is_input(wire: str) -> bool:
    return wire in INPUTS or wire.startswith(IN_SLOT)
