"""What a key of a config tells by itself, beyond its type: each function gives its mistakes, a sentence each."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from firmware_bridge.facts.printable import fault

LONGEST: Final = 1_000
"""Characters of the longest text: a path."""

NETWORK: Final = re.compile(r"socket://[^\s/]+:\d{1,5}")

_OF_THE_READER: Final = {("reader", "line_end"), ("reader", "pattern")}
"""Texts about a reader's bytes."""

_WITH_A_RULE: Final = {("table", "id"), ("mqtt", "root")}
"""Texts whose own type says more."""


def unprintable(raw: dict[str, Any]) -> list[str]:
    """Names and texts are short lines of characters that can be printed."""
    mistakes = []
    for section, keys in raw.items():
        for key, value in keys.items() if isinstance(keys, dict) else ():
            if (section, key) in _OF_THE_READER | _WITH_A_RULE:
                continue
            found = [wrong for text in (key, *_texts(value)) if (wrong := fault(text, LONGEST))]
            mistakes += [f"[{section}] {key[:LONGEST]}: a text there {wrong}" for wrong in found[:1]]
    return mistakes


def bad_port(raw: dict[str, Any]) -> list[str]:
    """A reader's port is a device, or an address on the network."""
    port = _text(raw, "reader", "port")
    if not port or port.startswith("/") or NETWORK.fullmatch(port):
        return []
    return [f"[reader] port = {port!r}: known are a device, /dev/.., and a reader on the network, socket://HOST:PORT"]


def relative_directory(raw: dict[str, Any]) -> list[str]:
    """The journal's directory is the same wherever the daemon is started."""
    directory = _text(raw, "journal", "dir")
    if not directory or directory.startswith("/"):
        return []
    return [f"[journal] dir = {directory!r}: write the whole path, from / on"]


def _text(raw: dict[str, Any], section: str, key: str) -> str:
    """A text of the config, empty where there is none."""
    keys = raw.get(section)
    value = keys.get(key) if isinstance(keys, dict) else None
    return value if isinstance(value, str) else ""


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case dict():
            for key, each in value.items():
                yield key
                yield from _texts(each)
        case list():
            for each in value:
                yield from _texts(each)
