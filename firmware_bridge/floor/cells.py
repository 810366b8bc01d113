"""Cells of CSV that no spreadsheet calculates."""

from base64 import b64encode
from typing import Any, Final

FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
"""Beginnings of a text that a spreadsheet would calculate: an apostrophe before it makes it a text."""


def cell(value: Any) -> Any:
    """Return a value as it may stand in CSV; bytes in base64."""
    text = b64encode(value).decode() if isinstance(value, bytes) else value
    return f"'{text}" if isinstance(text, str) and text.startswith(FORMULA) else text
