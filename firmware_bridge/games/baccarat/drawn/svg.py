"""Pictures of roads as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape, quoteattr

from firmware_bridge.errors import BridgeError
from firmware_bridge.games.baccarat.drawn.shapes import Box, Dot, Ink, Label, Line, Ring, Shape, Sheet

FONTS: Final = {
    "zh-Hant": "'Noto Sans CJK TC','Noto Sans TC','PingFang TC','Microsoft JhengHei',sans-serif",
    "zh-Hans": "'Noto Sans CJK SC','Noto Sans SC','PingFang SC','Microsoft YaHei',sans-serif",
    "en": "'Noto Sans','DejaVu Sans','Segoe UI',Helvetica,Arial,sans-serif",
}


class PictureError(BridgeError, OSError):
    """The picture cannot be drawn or written."""


def write_svg(sheet: Sheet, path: Path) -> None:
    """Write the picture into a file. Raises PictureError."""
    try:
        path.write_text(svg(sheet), "utf-8")
    except OSError as error:
        raise PictureError(f"{path}: {error.strerror}", "name a file that may be written") from None


def svg(sheet: Sheet) -> str:
    """The picture as SVG text."""
    units = f"{_n(sheet.width / sheet.scale)} {_n(sheet.height / sheet.scale)}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{sheet.width}" height="{sheet.height}" '
        f'viewBox="0 0 {units}" lang="{sheet.language}" '
        f'font-family="{FONTS[sheet.language]}" role="img" aria-label={quoteattr(sheet.title)}>'
    )
    return "\n".join([head, *[_element(shape, sheet.inks) for shape in sheet.shapes], "</svg>\n"])


def _element(shape: Shape, inks: dict[Ink, str]) -> str:
    ink = inks[shape.ink]
    match shape:
        case Box(x, y, width, height, _, radius):
            corner = f' rx="{_n(radius)}"' if radius else ""
            return f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{_n(height)}"{corner} fill="{ink}"/>'
        case Line(x1, y1, x2, y2, _, width):
            ends = ' stroke-linecap="round"' if width > 1 else ' shape-rendering="crispEdges"'
            points = f'x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"'
            return f'<line {points} stroke="{ink}" stroke-width="{_n(width)}"{ends}/>'
        case Ring(x, y, radius, _, width):
            line = f'fill="none" stroke="{ink}" stroke-width="{_n(width)}"'
            return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" {line}/>'
        case Dot(x, y, radius, _):
            return f'<circle cx="{_n(x)}" cy="{_n(y)}" r="{_n(radius)}" fill="{ink}"/>'
        case Label(x, y, text, size, _, anchor, bold):
            style = (' font-weight="700"' if bold else "") + (f' text-anchor="{anchor}"' if anchor != "start" else "")
            place = f'x="{_n(x)}" y="{_n(y)}" font-size="{_n(size)}"{style}'
            return f'<text {place} fill="{ink}">{escape(text)}</text>'


def _n(number: float) -> str:
    """A length in at most two decimals."""
    return f"{number:.2f}".rstrip("0").rstrip(".")
