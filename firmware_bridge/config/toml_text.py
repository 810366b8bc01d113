"""Text as TOML has it, between quotes."""

from __future__ import annotations

import json


def quoted(text: str) -> str:
    """A basic string of TOML: like JSON's, but for DEL, and without pairs of surrogates."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
