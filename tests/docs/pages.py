"""The documents as text: their code blocks, tables and links."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
DOCS: Final = ROOT / "docs"
README: Final = ROOT / "README.md"
PAGES: Final = [README, *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("adr/*.md")), DOCS / "examples/README.md"]


def block(page: Path, language: str, holding: str) -> str:
    """The code block of a language that holds a text."""
    blocks = re.findall(rf"```{language}\n(.*?)```", page.read_text("utf-8"), re.S)
    return next(code for code in blocks if holding in code)


def prose(page: Path) -> list[str]:
    """The lines outside of tables and code."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.S | re.M)
    return [line for line in text.splitlines() if not line.startswith(("|", "    "))]
