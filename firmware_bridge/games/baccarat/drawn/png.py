"""Pictures of roads as PNG, drawn with Pillow."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from firmware_bridge.games.baccarat.drawn.shapes import Box, Dot, Label, Line, Ring, Shape, Sheet
from firmware_bridge.games.baccarat.drawn.svg import PictureError

if TYPE_CHECKING:
    from PIL import Image, ImageDraw

FINER: Final = 3
"""Drawn this many times larger, then made smaller: Pillow's own edges are rough."""

LARGE: Final = 2560 * 1440
"""Pixels above which one less must do: the picture takes as much memory as it has pixels, three bytes each."""

FONTS: Final = Path("/usr/share/fonts/opentype/noto")
"""Where Debian's fonts-noto-cjk lies; Pillow looks through the system's other fonts too."""

FONT_FILES: Final = {True: "NotoSansCJK-Bold.ttc", False: "NotoSansCJK-Regular.ttc"}
"""Bold -> file."""

FACES: Final = {"zh-Hans": 2, "zh-Hant": 3, "en": 2}
"""Language -> the face in the font's collection that draws its signs the way its readers write them."""

ANCHORS: Final = {"start": "ls", "middle": "ms", "end": "rs"}


def write_png(sheet: Sheet, path: Path) -> None:
    """Write the picture into a file. Raises PictureError, also without Pillow or a font for its language."""
    try:
        image = _drawn(sheet)
    except ImportError:
        what = "PNG needs Pillow"
        how = "on a Pi: scripts/install --pictures, else pip install 'firmware-bridge[pictures]'; or use --svg"
        raise PictureError(what, how) from None
    try:
        image.save(path, "PNG", optimize=True)
    except OSError as error:
        raise PictureError(f"{path}: {error.strerror or error}", "name a file that may be written") from None


def _drawn(sheet: Sheet) -> Image.Image:
    from PIL import Image, ImageDraw

    finer = FINER if sheet.width * sheet.height <= LARGE else FINER - 1
    image = Image.new("RGB", (sheet.width * finer, sheet.height * finer))
    draw = _pen(ImageDraw.Draw(image), sheet.scale * finer, _fonts(sheet.language))
    for shape in sheet.shapes:
        draw(shape, sheet.inks[shape.ink])
    return image.resize((sheet.width, sheet.height), Image.Resampling.LANCZOS)


def _pen(pen: ImageDraw.ImageDraw, unit: float, fonts: Callable[[bool, int], Any]) -> Callable[[Shape, str], None]:
    """What draws one shape; unit: pixels in a unit of the shapes."""

    def around(x: float, y: float, radius: float) -> tuple[float, float, float, float]:
        """The square around a circle; its edges belong to it."""
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
    """A font by boldness and size. English does without the Chinese fonts. Raises PictureError."""
    from PIL import ImageFont

    @cache
    def font(bold: bool, size: int) -> Any:
        path = FONTS / FONT_FILES[bold]
        try:
            return ImageFont.truetype(path, size, index=FACES[language])
        except OSError:
            if language == "en":
                return ImageFont.load_default(size)
            what = f"no font for {language}: {path} is missing"
            raise PictureError(what, "sudo apt install fonts-noto-cjk, or use --lang en") from None

    return font
