"""Draws keys and notes as QR codes, for a terminal or as SVG."""

from io import StringIO
from typing import Final

import segno

ERROR: Final = "l"
"""Level of error correction: screens are clean, and small modules cost more than damaged ones."""


def in_terminal(text: str) -> str:
    """Return the code in half blocks, for a terminal."""
    out = StringIO()
    _code(text).terminal(out, compact=True)
    return out.getvalue()


def svg(text: str) -> str:
    """Return the code as an SVG element, black on white, with the quiet border of four modules that readers need.

    It has no width, so it fills its place; no style and no script.
    """
    drawn: str = _code(text).svg_inline(omitsize=True, border=4, light="#fff", svgclass=None, lineclass=None)
    return drawn


def _code(text: str) -> segno.QRCode:
    return segno.make(text, error=ERROR, encoding="utf-8", micro=False)
