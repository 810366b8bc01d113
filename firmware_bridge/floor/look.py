"""The look that pages and printed reports share: templates that escape HTML, and the tokens of colours and sizes."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

TOKENS: Final = Path(__file__).parent / "page/static/tokens.css"
"""Type scale, spacing, colours, and the fill and sign of each state."""


@lru_cache
def templates(package: str) -> Environment:
    """The templates of a package of the floor: `page` or `facts`. Each caller adds what they use."""
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
    """The tokens as CSS, always light: for a page that is printed and has all it needs in it."""
    light = '@media print, (prefers-color-scheme: light) { :root:not([data-theme="dark"]) {'
    before, _, rest = TOKENS.read_text("utf-8").partition(light)
    theme, _, after = rest.partition("} }")
    return f"{before}:root {{{theme}}}{after}"


def colour(name: str) -> str:
    """A colour of the dark theme, as `#rrggbb`. Raises KeyError."""
    return _colours()[name]


@lru_cache(1)
def _colours() -> dict[str, str]:
    dark, _, _ = TOKENS.read_text("utf-8").partition("@media")
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6});", dark))
