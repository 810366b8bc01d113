"""Files in docs/ made from the code: messages, keys, facts, doors, metrics, payouts, walk-through, manuals."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from firmware_bridge.cli.help import man
from firmware_bridge.cli.odds import payouts
from firmware_bridge.config import reference
from firmware_bridge.floor import cli as floor
from scripts.tools.documents import doors, facts, irregularities, metrics, walkthrough
from scripts.tools.messages.document import document, encoded
from scripts.tools.messages.page import page

ROOT: Final = Path(__file__).parents[3]
DOCS: Final = ROOT / "docs"

DOCUMENTS: Final[dict[str, Callable[[], bytes]]] = {
    "messages.md": lambda: page().encode(),
    "asyncapi.json": lambda: encoded(document()),
    "payouts.md": lambda: payouts.page().encode(),
    "walkthrough.md": lambda: walkthrough.page().encode(),
    "facts.md": lambda: facts.page().encode(),
    "metrics.md": lambda: metrics.page().encode(),
    "config.md": lambda: reference.document().encode(),
    "doors.md": lambda: doors.page().encode(),
    "irregularities.md": lambda: irregularities.page().encode(),
    "man/shoe.1": lambda: man.shoe().encode(),
    "man/bridge.toml.5": lambda: man.bridge_toml().encode(),
    "man/shoe.bash": lambda: man.bash_of_shoe().encode(),
    "man/shoe-floor.1": lambda: floor.manual().encode(),
    "man/shoe-floor.bash": lambda: floor.completion().encode(),
}
"""File in docs/ -> function that makes its bytes."""


def stale() -> list[str]:
    """Return the files in docs/ that differ from what the code makes."""
    return [name for name, make in DOCUMENTS.items() if not same(DOCS / name, make())]


def same(file: Path, wanted: bytes) -> bool:
    """Return whether the file is there with these bytes."""
    return file.exists() and file.read_bytes() == wanted
