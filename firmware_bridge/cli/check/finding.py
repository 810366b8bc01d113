"""The machine given to a check, and the findings it returns."""

import re
import subprocess
import time
from collections.abc import Callable, Iterable
from importlib import metadata
from pathlib import Path
from typing import Any, Final, NamedTuple

from firmware_bridge.config.findings import Finding
from firmware_bridge.config.load import digests
from firmware_bridge.config.sections import Config

UNIT: Final = "firmware-bridge.service"
USER: Final = "shoe-bridge"
RESTART: Final = f"restart it between two shoes: sudo systemctl restart {UNIT.removesuffix('.service')}"
RUN_S: Final = 10.0
"""Seconds after which a system program's output counts as empty."""

_WHAT_REMEDY: Final = re.compile(r"((?:\([^()]*\)|[^(])*?): (.*)", re.DOTALL)
"""Splits an error's text into fault (with colons only in brackets) and remedy."""


def output_of(*command: str) -> str:
    """Return the stdout of a system program, whatever its exit code; "" if it is missing or hangs."""
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace", timeout=RUN_S)
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout


def installed(package: str) -> str | None:
    """Return the version of a Python package; None if it is not installed."""
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

    def has_read(self, *sections: str, files: Iterable[str | None] = ()) -> bool:
        """Return whether the daemon runs, and by these sections and files as they are now."""
        if self.daemon is None:
            return False
        read, now = self.daemon["config"], digests(self.config)
        is_newer = any(Path(each).stat().st_mtime > read["at"] for each in files if each)
        return not is_newer and all(read["sections"].get(each) == now[each] for each in sections)

    def at(self, path: str) -> Path:
        """Return the path of a system file, by its absolute path."""
        return self.root / path.lstrip("/")

    def text(self, path: str) -> str:
        """Return the text of a system file; "" if it cannot be read."""
        try:
            return self.at(path).read_text("utf-8", "replace").strip("\0\n ")
        except OSError:
            return ""


def unread(name: str, section: str) -> Finding:
    """Return the finding about devices that the daemon has by a section that was changed since it started."""
    return Finding("WARN", name, f"not tried: the daemon has not read this [{section}] yet", RESTART)


def failed(name: str, message: str) -> Finding:
    """Return a failure with an error's own text: `what: remedy`."""
    parts = _WHAT_REMEDY.fullmatch(message)
    return Finding("FAIL", name, parts[1], parts[2]) if parts else Finding("FAIL", name, message)
