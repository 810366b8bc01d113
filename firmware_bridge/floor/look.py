"""The look that pages and printed reports share: templates that escape HTML, and the tokens of colours and sizes."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from firmware_bridge.facts.decoding import text_in

TOKENS: Final = Path(__file__).parent / "page/static/tokens.css"
"""Type scale, spacing, colours, and the fill and sign of each state."""


@lru_cache
def templates(package: str) -> Environment:
    """Return the templates of a package of the floor: `page` or `facts`. Each caller adds what they use."""
    return Environment(
        loader=PackageLoader(f"firmware_bridge.floor.{package}"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )


@lru_cache(1)
def paper() -> str:
    """Return the tokens as CSS, always light: for a page that is printed and has all it needs in it."""
    light = '@media print, (prefers-color-scheme: light) { :root:not([data-theme="dark"]) {'
    before, _, rest = text_in(TOKENS).partition(light)
    theme, _, after = rest.partition("} }")
    return f"{before}:root {{{theme}}}{after}"


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours `#rrggbb`, 1 to 21 (WCAG 2.1)."""
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def colour(name: str) -> str:
    """Return a colour of the dark theme, as `#rrggbb`. Raises KeyError."""
    return _colours()[name]


@lru_cache(1)
def _colours() -> dict[str, str]:
    dark, _, _ = text_in(TOKENS).partition("@media")
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", dark))
