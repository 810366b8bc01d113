"""The machine that a check is given, and the findings it gives back."""

import re
import subprocess
import time
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from firmware_bridge.config.sections import Config

Level = Literal["OK", "WARN", "FAIL"]

UNIT: Final = "firmware-bridge.service"
USER: Final = "shoe-bridge"
RUN_S: Final = 10.0
"""Seconds after which the answer of a system's program counts as empty."""

_WHAT_REMEDY: Final = re.compile(r"((?:\([^()]*\)|[^(])*?): (.*)", re.DOTALL)
"""Parts an error's text into the fault, which may hold colons in brackets, and the remedy."""


class Finding(NamedTuple):
    """One line of `shoe check`; `remedy` says what to do, and is empty where nothing is."""

    level: Level
    name: str
    text: str
    remedy: str = ""


def output_of(*command: str) -> str:
    """The stdout of a program of the system, whatever its exit code; empty where the program is missing or hangs."""
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace", timeout=RUN_S)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout


def installed(package: str) -> str | None:
    """The version of a Python package here, None where it is not installed."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


class Machine(NamedTuple):
    """What is checked: the config, the status of the daemon that runs by it (None: not running), and the system.

    root: where the system's files are looked up. output_of: runs a system program, returns its stdout.
    installed: version of a package, or None. now: wall clock, seconds since 1970.
    """

    config: Config
    daemon: dict[str, Any] | None
    path: Path = Path("/etc/firmware-bridge/bridge.toml")
    root: Path = Path("/")
    output_of: Callable[..., str] = output_of
    installed: Callable[[str], str | None] = installed
    now: Callable[[], float] = time.time

    def at(self, path: str) -> Path:
        """A file of the system, by its absolute path."""
        return self.root / path.lstrip("/")

    def text(self, path: str) -> str:
        """The text of a file of the system, empty where it cannot be read."""
        try:
            return self.at(path).read_text("utf-8", "replace").strip("\0\n ")
        except OSError:
            return ""


def failed(name: str, message: str) -> Finding:
    """A failure by an error's own text: `what: remedy`."""
    parts = _WHAT_REMEDY.fullmatch(message)
    return Finding("FAIL", name, parts[1], parts[2]) if parts else Finding("FAIL", name, message)
