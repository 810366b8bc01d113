"""The shoe bridge: cards from the shoe become rounds at the backend."""

from pathlib import Path
from typing import Final

__version__ = "0.1.0"


def _build() -> str:
    try:
        return Path(__file__).with_name("build.txt").read_text("utf-8").strip()
    except OSError:
        return "unknown"


__build__: Final = _build()
"""Commit and date (UTC) that the package was built from, `dirty` after them where sources differed from it; `unknown`
where it runs from sources. What is judged depends on the version alone."""
