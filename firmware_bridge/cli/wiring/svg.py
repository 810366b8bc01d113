"""The header and its wires as a picture."""

from __future__ import annotations

from typing import Final
from xml.sax.saxutils import escape

from firmware_bridge.cli.wiring.header import HeaderPin, Kind

INKS: Final[dict[Kind, str]] = {"power": "#c0392b", "ground": "#2c3e50", "wire": "#d4a017", "free": "#bdc3c7"}
ROW, TOP, CENTRE, WIDTH = 26, 62, 380, 760
FOOT: Final = 74


def picture(pins: list[HeaderPin], table: str, reader: str) -> str:
    """The 40 pins as SVG text, odd ones on the left, as one sees them with the USB ports below."""
    height = TOP + ROW * len(pins) // 2 + FOOT
    body = [_board(height), *(_drawn(pin) for pin in pins), *_words(table, reader, height)]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
        'font-family="\'DejaVu Sans\',\'Noto Sans\',Helvetica,Arial,sans-serif" font-size="13" role="img" '
        f'aria-label="Wiring of table {escape(table)}">'
    )
    return "\n".join([head, *body, "</svg>\n"])


def _board(height: int) -> str:
    return (
        f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>'
        f'<rect x="{CENTRE - 34}" y="{TOP - 8}" width="68" height="{height - TOP - FOOT + 16}" rx="6" fill="#1e3d2f"/>'
    )


def _drawn(pin: HeaderPin) -> str:
    """A pin, its number, its name and its wire; odd pins to the left, even ones to the right."""
    side = -1 if pin.number % 2 else 1
    anchor = "end" if side < 0 else "start"
    x, y = CENTRE + side * 15, TOP + ROW * ((pin.number - 1) // 2) + ROW / 2
    corner = 0 if pin.number == 1 else 10
    shape = f'<rect x="{x - 10}" y="{y - 10}" width="20" height="20" rx="{corner}" fill="{INKS[pin.kind]}"/>'
    number = f'<text x="{x}" y="{y + 4}" font-size="10" text-anchor="middle" fill="#ffffff">{pin.number}</text>'
    name = f'<text x="{CENTRE + side * 46}" y="{y + 4.5}" text-anchor="{anchor}" fill="#566573">{pin.name}</text>'
    if not pin.wires:
        return shape + number + name
    begin, end = CENTRE + side * 104, CENTRE + side * 134
    line = f'<line x1="{begin}" y1="{y}" x2="{end}" y2="{y}" stroke="{INKS["wire"]}" stroke-width="3"/>'
    what = escape(", ".join(pin.wires) + (" (to ground)" if pin.active_low else ""))
    told = f'<text x="{CENTRE + side * 142}" y="{y + 4.5}" text-anchor="{anchor}" font-weight="700">{what}</text>'
    return shape + number + name + line + told


def _words(table: str, reader: str, height: int) -> list[str]:
    lines = (
        (24, f"Table {table}: 40-pin header of a Raspberry Pi 4 or 5", 'font-size="17" font-weight="700"'),
        (44, "pin 1 is the square one; the USB ports are at the lower end", 'fill="#566573"'),
        (height - 44, f"reader: {reader}", ""),
        (height - 22, "3.3 V only: 5 V on a GPIO destroys the Pi. Lamps over a driver.", 'fill="#c0392b"'),
    )
    centred = f'x="{CENTRE}" text-anchor="middle"'
    return [f'<text y="{y}" {centred} {style}>{escape(text)}</text>' for y, text, style in lines]
