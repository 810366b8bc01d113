"""Values as TOML has them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


def quoted(text: str) -> str:
    """A basic string of TOML: like JSON's, but for DEL, and without pairs of surrogates."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def in_toml(value: Any) -> str:
    """A text, number, truth, list or table of these on one line; keys without a value (None) are left out."""
    match value:
        case str():
            return quoted(value)
        case Mapping():
            inside = [f"{_key(name)} = {in_toml(each)}" for name, each in value.items() if each is not None]
            return f"{{ {', '.join(inside)} }}" if inside else "{}"
        case list() | tuple():
            return f"[{', '.join(map(in_toml, value))}]"
    return json.dumps(value)


def _key(name: str) -> str:
    return name if name.replace("-", "_").isidentifier() and name.isascii() else quoted(name)
