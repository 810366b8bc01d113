"""What a check is given, and what it finds."""

from __future__ import annotations

import re
from typing import Any, Final, Literal, NamedTuple

from firmware_bridge.settings import Config

Level = Literal["OK", "WARN", "FAIL"]

_WHAT_REMEDY: Final = re.compile(r"((?:\([^()]*\)|[^(])*?): (.*)", re.DOTALL)
"""What is wrong may hold colons in brackets, then its remedy follows."""


class Finding(NamedTuple):
    """One line of `shoe check`; `remedy` says what to do, and is empty where nothing is."""

    level: Level
    name: str
    text: str
    remedy: str = ""


class Machine(NamedTuple):
    """What is checked: the config, and the status of the daemon if it runs by this config."""

    config: Config
    daemon: dict[str, Any] | None


def failed(name: str, told: str) -> Finding:
    """A failure by an error's own text: `what: remedy`."""
    parts = _WHAT_REMEDY.fullmatch(told)
    return Finding("FAIL", name, parts[1], parts[2]) if parts else Finding("FAIL", name, told)
