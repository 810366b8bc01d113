"""Writes pictures of roads as SVG, and as PNG, drawn with Pillow."""

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final
from xml.sax.saxutils import escape, quoteattr

from firmware_bridge.errors import BridgeError
from firmware_bridge.games.baccarat.drawn.shapes import Box, Dot, Ink, Label, Line, Ring, Shape, Sheet

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

FAMILIES: Final = {
    "zh-Hant": "'Noto Sans CJK TC','Noto Sans TC','PingFang TC','Microsoft JhengHei',sans-serif",
    "zh-Hans": "'Noto Sans CJK SC','Noto Sans SC','PingFang SC','Microsoft YaHei',sans-serif",
    "en": "'Noto Sans','DejaVu Sans','Segoe UI',Helvetica,Arial,sans-serif",
}

FINER: Final = 3
"""Drawn this many times larger, then made smaller: Pillow's own edges are rough."""

LARGE: Final = 2560 * 1440
"""Pixels above which `FINER` is one less: a pixel takes three bytes of memory."""

FONTS: Final = Path("/usr/share/fonts/opentype/noto")
"""The folder of Debian's fonts-noto-cjk; Pillow searches the system's other fonts too."""

FONT_FILES: Final = {True: "NotoSansCJK-Bold.ttc", False: "NotoSansCJK-Regular.ttc"}
"""Bold -> file."""

FACES: Final = {"zh-Hans": 2, "zh-Hant": 3, "en": 2}
"""Language -> the face in the font's collection that draws its signs the way its readers write them."""

ANCHORS: Final = {"start": "ls", "middle": "ms", "end": "rs"}


class PictureError(BridgeError, OSError):
    """The picture cannot be drawn or written."""


def write_svg(text: str, path: Path) -> None:
    """Write a picture as SVG text into a file, `-`: to standard output. Raises PictureError."""
    if path == Path("-"):
        sys.stdout.write(text)
        return
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        raise PictureError(f"{path}: {error.strerror}", "choose a file that can be written") from None


def svg(sheet: Sheet) -> str:
    """Return the picture as SVG text."""
    units = f"{_n(sheet.width / sheet.scale)} {_n(sheet.height / sheet.scale)}"
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{sheet.width}" height="{sheet.height}" '
        f'viewBox="0 0 {units}" lang="{sheet.language}" '
        f'font-family="{FAMILIES.get(sheet.language, FAMILIES["en"])}" role="img" aria-label={quoteattr(sheet.title)}>'
    )
    return "\n".join([head, *[_element(shape, sheet.inks) for shape in sheet.shapes], "</svg>\n"])


def write_png(sheet: Sheet, path: Path | BinaryIO) -> None:
    """Write the picture into a file, named or open. Raises PictureError, as without Pillow or a font for it."""
    try:
        image = _drawn(sheet)
    except ImportError:
        what = "PNG needs Pillow"
        how = "on a Pi: scripts/install --pictures, else pip install '.[pictures]'; or use --svg"
        raise PictureError(what, how) from None
    try:
        image.save(path, "PNG", optimize=True)
    except OSError as error:
        raise PictureError(f"{path}: {error.strerror or error}", "choose a file that can be written") from None


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
    """Return a length in at most two decimals."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def _drawn(sheet: Sheet) -> "Image.Image":
    from PIL import Image, ImageDraw

    finer = FINER if sheet.width * sheet.height <= LARGE else FINER - 1
    image = Image.new("RGB", (sheet.width * finer, sheet.height * finer))
    draw = _pen(ImageDraw.Draw(image), sheet.scale * finer, _fonts(sheet.language))
    for shape in sheet.shapes:
        draw(shape, sheet.inks[shape.ink])
    return image.resize((sheet.width, sheet.height), Image.Resampling.LANCZOS)


def _pen(pen: "ImageDraw.ImageDraw", unit: float, fonts: Callable[[bool, int], Any]) -> Callable[[Shape, str], None]:
    """Return a function that draws one shape; unit: pixels in a unit of the shapes."""

    def around(x: float, y: float, radius: float) -> tuple[float, float, float, float]:
        """Return the square around a circle; its edges belong to it."""
        return (x - radius) * unit, (y - radius) * unit, (x + radius) * unit, (y + radius) * unit

    def draw(shape: Shape, ink: str) -> None:
        match shape:
            case Box(x, y, width, height, _, radius):
                box = (x * unit, y * unit, (x + width) * unit - 1, (y + height) * unit - 1)
                pen.rounded_rectangle(box, radius * unit, fill=ink)
            case Line(x1, y1, x2, y2, _, width):
                line = (x1 * unit, y1 * unit, x2 * unit, y2 * unit)
                pen.line(line, fill=ink, width=max(1, round(width * unit)))
                if width > 1:
                    for x, y in ((x1, y1), (x2, y2)):
                        pen.ellipse(around(x, y, width / 2), fill=ink)
            case Ring(x, y, radius, _, width):
                pen.ellipse(around(x, y, radius + width / 2), outline=ink, width=round(width * unit))
            case Dot(x, y, radius, _):
                pen.ellipse(around(x, y, radius), fill=ink)
            case Label(x, y, text, size, _, anchor, bold):
                font = fonts(bold, max(1, round(size * unit)))
                pen.text((x * unit, y * unit), text, fill=ink, font=font, anchor=ANCHORS[anchor])

    return draw


def _fonts(language: str) -> Callable[[bool, int], Any]:
    """Return a function that gives a font by boldness and size; English needs no Chinese fonts. Raises PictureError."""
    from PIL import ImageFont

    @cache
    def font(bold: bool, size: int) -> Any:
        path = FONTS / FONT_FILES[bold]
        try:
            return ImageFont.truetype(path, size, index=FACES.get(language, FACES["en"]))
        except OSError:
            if language == "en":
                return ImageFont.load_default(size)
            what = f"no font for {language}: {path} is missing"
            raise PictureError(what, "sudo apt install fonts-noto-cjk, or use --lang en") from None

    return font
