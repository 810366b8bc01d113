"""The page of metrics: its table of what each table exports is made from the metrics; the rest is written by hand."""

import re
from pathlib import Path
from typing import Final

from firmware_bridge.floor.metrics.families import OF_A_TABLE

PAGE: Final = Path(__file__).parents[3] / "docs/metrics.md"

_TABLE: Final = re.compile(r"(?<=\n## Of each table\n)(.*?\n\|---\|---\|---\|---\|\n).*?(?=\n\n)", re.S)


def page() -> str:
    """Return the whole page, with a row for each metric of a table."""
    rows = "\n".join(f"| `{each.name}` | {each.kind} | {each.unit} | {each.help} |" for each in OF_A_TABLE)
    return _TABLE.sub(lambda found: found[1] + rows, PAGE.read_text("utf-8"), count=1)
