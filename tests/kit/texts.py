"""Every text in what JSON decodes to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def texts(value: Any) -> Iterator[str]:
    """Keys and values, however deep."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from texts(key)
            yield from texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from texts(each)
    elif isinstance(value, str):
        yield value
