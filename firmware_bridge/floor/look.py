"""The look that pages and printed reports share: templates that escape HTML, and the tokens of colours and sizes."""

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
def tokens() -> str:
    """The tokens as CSS, for a page that has all it needs in it."""
    return TOKENS.read_text("utf-8")
