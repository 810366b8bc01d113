"""The tier of `--fast`: tests that start no process and sleep through nothing. What is left out is listed here."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent

SLOW: Final = {
    "client": (
        *("alone", "fake_table", "floor", "floor_doc", "floor_mistakes", "floor_stored", "floor_trouble"),
        *("ledger_adds_up", "received"),
    ),
    "disk_and_broker": ("live_odds", "mqtt", "mqtt_mistakes", "mqtt_refused", "publish_now", "states", "subscriber"),
    "docs": ("mqtt", "readme"),
    "floor": (
        *("check", "command", "fleet", "fleet_network", "kills", "names_at_a_table", "no_store", "other_store"),
        *("page_drawn", "page_past", "small_house", "source", "stored_kills", "windows"),
    ),
    "hardware": ("dwell", "pins", "pty", "sim", "sim_words", "tty"),
    "system": None,
}
"""Folder -> its files of tests that start processes, or sleep; None: all of them."""

_PROCESS: Final = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn"})


def is_slow(path: Path) -> bool:
    """Whether a file or folder is left out."""
    folder, *rest = path.relative_to(ROOT).parts or ("",)
    if folder not in SLOW:
        return False
    names = SLOW[folder]
    return names is None or (bool(rest) and path.stem.removeprefix("test_") in names)


def forbid_processes() -> None:
    """Let each start of a process fail from here on."""

    def audit(event: str, _: object) -> None:
        if event in _PROCESS:
            raise RuntimeError("a test of the fast tier starts a process: list its file in tests/fast.py")

    sys.addaudithook(audit)
