"""How much of what is drawn or counted out a run tries: all with `EVERY_CELL=yes` (.ci/run), a share by day."""

from __future__ import annotations

import os
from typing import Final

EVERY: Final = "EVERY_CELL" in os.environ
"""Whether this run tries everything."""


def share(count: int, of: int = 3) -> int:
    """`count`, or one in `of` of it by day."""
    return count if EVERY else count // of
