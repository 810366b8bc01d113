"""`shoe wiring`: the wire of each header pin in this table's config, as text or picture."""

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from firmware_bridge.cli.daemon_socket import DEFAULT_CONFIG, config_option
from firmware_bridge.config.arguments import file_to_write
from firmware_bridge.config.layout import show_columns
from firmware_bridge.config.load import load
from firmware_bridge.config.sections import Config
from firmware_bridge.daemon.devices.wires import IN_SLOT, OUTPUTS, wires
from firmware_bridge.errors import ConfigError
from firmware_bridge.games import GAMES
from firmware_bridge.games.baccarat.drawn.formats import write_svg
from firmware_bridge.games.baccarat.drawn.shapes import fitted
from hardware.pi import header_pins
from hardware.pins.pin import Pin

Kind = Literal["power", "ground", "wire", "reserved", "free"]

Use = Literal["", "input", "output"]
"""Purpose of a wire: input for a key or sensor, output for a lamp, buzzer or lock."""

INPUTS: Final = {
    "cut_card": "cut-card sensor",
    "next": "NEXT key",
    "reveal": "REVEAL key",
    "unmark": "UNMARK key",
    **{key: f"{key.upper()} key" for game in GAMES.values() for key in game.play.keys},
    "lid": "lid switch",
    "presence": "presence sensor",
}
"""Input of `[pins]` -> its name for people."""

RESERVED: Final = ("GPIO0", "GPIO1")
"""Pins of the EEPROM by which a HAT names itself: the firmware drives them at each boot."""

USES: Final[dict[Use, str]] = {"input": "keys and sensors", "output": "lamps"}
DARK, MUTED, RED, BOARD = "#17202b", "#4d5a6e", "#b3261e", "#1e3d2f"
ROW, TOP, CENTRE, WIDTH, MARGIN = 26, 62, 400, 800, 8
FOOT: Final = 132
COLUMNS = 26


def options(parser: argparse.ArgumentParser) -> None:
    """Add the options of `shoe wiring`."""
    config_option(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object per pin, for programs")
    parser.add_argument("--svg", type=file_to_write, metavar="FILE", help="draw into this file; - for stdout")


def run(arguments: argparse.Namespace) -> int:
    """Print or draw the header; touch nothing. Raises ConfigError, PictureError."""
    config = _config(arguments.config)
    pins = header(wires(config))
    if arguments.svg:
        write_svg(picture(pins, config.table.id, config.reader.port), arguments.svg)
    elif arguments.json:
        for pin in pins:
            print(json.dumps(pin._asdict()))
    else:
        lines = [f"Table {config.table.id}, seen with the USB ports below.", ""]
        for left, right in zip(pins[::2], pins[1::2], strict=True):
            odd = f"{_what(left):>{COLUMNS}} {left.name:>6} [{left.number:>2}"
            lines.append(f"{odd}|{right.number:<2}] {right.name:<6} {_what(right)}".rstrip())
        lowest = "(low): active when low, to ground; lamps without it: high = lit."
        show_columns([*lines, "", f"The reader is at {config.reader.port}. {lowest}"])
    return 0


class HeaderPin(NamedTuple):
    """Pin of the header: number 1..40, name (`GPIO17`, `3V3`, `GND`), wires; use: for a ground, that of its wires."""

    number: int
    name: str
    kind: Kind
    wires: tuple[str, ...] = ()
    active_low: bool = False
    use: Use = ""


def header(wires: Mapping[str, Pin]) -> list[HeaderPin]:
    """Return all pins in order; `wires` by config key."""
    pins = [_pin(number, name, wires) for number, name in header_pins()]
    for use in USES:
        if (place := _ground(pins, use)) is not None:
            pins[place] = pins[place]._replace(use=use)
    return pins


def label(wire: str) -> str:
    """Return the name of a wire for people."""
    if wire in OUTPUTS or wire.startswith(IN_SLOT):
        return wire
    return INPUTS.get(wire) or f"lamp {wire}"


def _ground(pins: list[HeaderPin], use: Use) -> int | None:
    """Return the index of the ground nearest to the wires of a use; each use has its own: lamps do not disturb keys."""
    rows = [(pin.number - 1) // 2 for pin in pins if pin.kind == "wire" and pin.use == use]
    free = [place for place, pin in enumerate(pins) if pin.kind == "ground" and not pin.use]
    return min(free, key=lambda place: sum(abs(place // 2 - row) for row in rows)) if rows else None


def _pin(number: int, name: str, wires: Mapping[str, Pin]) -> HeaderPin:
    if not name.startswith("GPIO"):
        return HeaderPin(number, name, "ground" if name == "GND" else "power")
    gpio = int(name.removeprefix("GPIO"))
    here = {wire: pin for wire, pin in wires.items() if pin.number == gpio}
    if not here:
        return HeaderPin(number, name, "reserved" if name in RESERVED else "free")
    active_low = any(not pin.active_level(_is_input(wire)) for wire, pin in here.items())
    use: Use = "input" if all(map(_is_input, here)) else "output"
    return HeaderPin(number, name, "wire", tuple(label(wire) for wire in here), active_low, use)


def _is_input(wire: str) -> bool:
    return wire in INPUTS or wire.startswith(IN_SLOT)


class Look(NamedTuple):
    """Look of one kind of pin: fill, number, wire, and legend text."""

    pin: str
    number: str
    wire: str
    word: str


LOOKS: Final = {
    "input": Look("#8ecbff", DARK, "#1559c7", "key or sensor: the Pi reads it"),
    "output": Look("#ffd24a", DARK, "#8f6000", "lamp, buzzer, lock: the Pi drives it"),
    "ground": Look(DARK, "#ffffff", DARK, "ground"),
    "power": Look("#ff9b8f", DARK, RED, "3.3 V and 5 V"),
    "reserved": Look("#d9b8ff", DARK, "#6b2fa8", "for a HAT's EEPROM: leave it free"),
    "free": Look("#9fb3a8", DARK, MUTED, "free"),
}


def picture(pins: list[HeaderPin], table: str, reader: str) -> str:
    """Return the 40 pins as SVG text, odd ones on the left, seen with the USB ports below."""
    height = TOP + ROW * len(pins) // 2 + FOOT
    body = [_board(height), *(_drawn(pin) for pin in pins), *_legend(height), *_words(table, reader, height)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        "font-family=\"'DejaVu Sans','Noto Sans',Helvetica,Arial,sans-serif\" role=\"img\" "
        f"aria-label={quoteattr(f'Wiring of table {table}')}>"
    )
    return "\n".join([head, *body, "</svg>\n"])


def _board(height: int) -> str:
    return (
        f'<rect x="0" y="0" width="{WIDTH}" height="{height}" fill="#ffffff"/>'
        f'<rect x="{CENTRE - 34}" y="{TOP - 8}" width="68" height="{height - TOP - FOOT + 16}" rx="6" fill="{BOARD}"/>'
    )


def _drawn(pin: HeaderPin) -> str:
    """Return a pin with number, name and wire; odd pins to the left, even ones to the right."""
    side = -1 if pin.number % 2 else 1
    anchor = "end" if side < 0 else "start"
    x, y = CENTRE + side * 15, TOP + ROW * ((pin.number - 1) // 2) + ROW / 2
    look = LOOKS[pin.use if pin.kind == "wire" else pin.kind]
    shape = _disc(x, y, look, is_square=pin.number == 1)
    number = _text(x, y + 4, str(pin.number), look.number, 10, "middle")
    name = _text(CENTRE + side * 46, y + 4.5, pin.name, MUTED, 13, anchor)
    if not (meaning := _meaning(pin)):
        return shape + number + name
    begin, end = CENTRE + side * 104, CENTRE + side * 134
    line = f'<line x1="{begin}" y1="{y}" x2="{end}" y2="{y}" stroke="{look.wire}" stroke-width="3"/>'
    room = CENTRE - 142 - MARGIN
    return shape + number + name + line + _text(CENTRE + side * 142, y + 4.5, meaning, DARK, 13, anchor, True, room)


def _meaning(pin: HeaderPin) -> str:
    """Return the wires of a pin and the meaning of its level."""
    if pin.kind == "ground":
        return f"ground for {USES[pin.use]}" if pin.use else ""
    if not pin.wires:
        return ""
    level = "low" if pin.active_low else "high"
    if pin.use == "output":
        is_on = "on" if set(pin.wires) & set(OUTPUTS) else "lit"
        return f"{', '.join(pin.wires)} ({level} = {is_on})"
    return ", ".join(pin.wires) + (" (to ground)" if pin.active_low else " (high = active)")


def _disc(x: float, y: float, look: Look, is_square: bool = False) -> str:
    """Return a pin as a disc; a dark one has a light rim against the dark board."""
    rim = f'<circle cx="{x}" cy="{y}" r="10" fill="{look.number}"/>' if look.pin == DARK else ""
    if is_square:
        return f'<rect x="{x - 10}" y="{y - 10}" width="20" height="20" fill="{look.pin}"/>'
    return rim + f'<circle cx="{x}" cy="{y}" r="{8.5 if rim else 10}" fill="{look.pin}"/>'


def _legend(height: int) -> list[str]:
    """Return the legend of the colours, as pins on a strip of the board."""
    drawn = []
    for number, look in enumerate(LOOKS.values()):
        x, y = (40, 330, 640)[number % 3], height - FOOT + 34 + (ROW + 2) * (number // 3)
        strip = f'<rect x="{x - 14}" y="{y - 12}" width="28" height="24" rx="4" fill="{BOARD}"/>'
        drawn.append(strip + _disc(x, y, look) + _text(x + 22, y + 4.5, look.word, DARK, 13))
    return drawn


def _words(table: str, reader: str, height: int) -> list[str]:
    return [
        _text(CENTRE, 24, f"Table {table}: 40-pin header of a Raspberry Pi 4 or 5", DARK, 17, "middle", bold=True),
        _text(
            CENTRE, 44, "pin 1 is the square one, red: 3.3 V; the USB ports are at the lower end", MUTED, 13, "middle"
        ),
        _text(CENTRE, height - 38, f"reader: {reader}", DARK, 13, "middle"),
        _text(
            CENTRE, height - 16, "3.3 V only: 5 V on a GPIO destroys the Pi. Lamps need a driver.", RED, 13, "middle"
        ),
    ]


def _text(
    x: float,
    y: float,
    text: str,
    ink: str,
    size: float,
    anchor: str = "start",
    bold: bool = False,
    room: float = WIDTH - 2 * MARGIN,
) -> str:
    size = round(fitted(text, size, room, bold), 2)
    style = (' font-weight="700"' if bold else "") + (f' text-anchor="{anchor}"' if anchor != "start" else "")
    return f'<text x="{x}" y="{y}" font-size="{size}"{style} fill="{ink}">{escape(text)}</text>'


def _config(path: Path) -> Config:
    if path == DEFAULT_CONFIG and not path.exists():
        raise ConfigError(f"there is no {path} yet", "before installing: --config systemd/bridge.toml")
    return load(path)


def _what(pin: HeaderPin) -> str:
    if pin.kind == "ground":
        return f"for {USES[pin.use]}" if pin.use else ""
    if pin.kind == "reserved":
        return "HAT EEPROM"
    return ", ".join(pin.wires) + (" (low)" if pin.active_low else "")
