"""Sectors of a disk: each record of a journal begins on one of its own, and what is not written yet is line feeds."""

from __future__ import annotations

from typing import Final

SECTOR: Final = 512
"""Bytes that a disk writes whole, or spoils: no two records share any."""

LINE_FEED: Final = b"\n"
"""What a journal file is filled ahead with: an empty line is one that is not written yet."""

FILL: Final = b"\n\0"
"""Bytes where nothing is written: line feeds, and the zeros of a page that never reached the disk."""


def padded(text: bytes) -> bytes:
    """A record: its text, blanks, and the LF that ends its last sector."""
    return text.ljust(-(-(len(text) + 1) // SECTOR) * SECTOR - 1) + LINE_FEED


def is_fill(data: bytes) -> bool:
    """Whether nothing is written there."""
    return not data.strip(FILL)
