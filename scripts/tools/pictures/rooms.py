"""The rooms as a picture, drawn from the contract in pyproject.toml: docs/rooms.svg."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

PYPROJECT: Final = Path(__file__).parents[3] / "pyproject.toml"
WIDE, HIGH, GAP, MARGIN, LETTER = 360, 30, 8, 16, 14
"""Pixels: of a layer, between rooms, around all, height of letters."""

PURE, EDGE = "#dff0e1", "#e4ecf7"
"""Colours: of a room without I/O and third-party packages except msgspec; of any other."""

PACKAGES: Final = {"firmware_bridge": (0, 0), "firmware_bridge.daemon": (1, 0), "hardware": (1, 6)}
"""Package -> column and row where its layers begin."""


def svg() -> str:
    """Return the picture: a room imports only from rows below its own, never from its neighbour."""
    contracts = tomllib.loads(PYPROJECT.read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    pure = next(each["source_modules"] for each in contracts if each["name"].startswith("The pure rooms"))
    drawn = [part for package in PACKAGES for part in _package(package, _layers(contracts, package), pure)]
    wide, high = 2 * WIDE + 3 * MARGIN, 2 * MARGIN + 14 * (HIGH + GAP)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {high}" role="img" aria-label="rooms"'
    ground = f'<rect width="{wide}" height="{high}" fill="#ffffff"/>'
    return "\n".join((f'{head} font-family="sans-serif" font-size="{LETTER}">', ground, *drawn, "</svg>", ""))


def _layers(contracts: list[dict[str, Any]], package: str) -> list[list[str]]:
    """Return the layers of a package from the top, each a list of rooms."""
    [layers] = [each["layers"] for each in contracts if each.get("containers") == [package]]
    return [[room.strip() for room in layer.split("|")] for layer in layers]


def _package(package: str, layers: list[list[str]], pure: list[str]) -> list[str]:
    column, first = PACKAGES[package]
    left, top = MARGIN + column * (WIDE + MARGIN), MARGIN + first * (HIGH + GAP)
    drawn = [f'<text x="{left}" y="{top + 20}" font-weight="bold">{package.replace(".", "/")}</text>']
    for row, layer in enumerate(layers, 1):
        wide = (WIDE - GAP * (len(layer) - 1)) // len(layer)
        for place, room in enumerate(layer):
            x, y = left + place * (wide + GAP), top + row * (HIGH + GAP)
            colour = PURE if f"{package}.{room}" in pure else EDGE
            box = f'<rect x="{x}" y="{y}" width="{wide}" height="{HIGH}" rx="5" fill="{colour}" stroke="#445"/>'
            drawn += [box, f'<text x="{x + wide // 2}" y="{y + 20}" text-anchor="middle">{room}</text>']
    return drawn
