"""The tier of `--fast`: tests that start no process and sleep through nothing. What is left out is listed here."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent

SLOW: Final = {
    "cli": (
        *(
            "bar",
            "cli_daemon",
            "cli_do",
            "cli_do_asks",
            "cli_help",
            "cli_replay",
            "cli_support",
            "cli_wiring",
            "pipes",
            "cli_words",
            "key",
            "widths",
        ),
        *("completion", "replay_shoes", "retire", "workers"),
    ),
    "cli/calibrate": None,
    "cli/check": None,
    "cli/journal": None,
    "cli/watch": None,
    "client": (
        *("alone", "fake_table", "floor", "floor_doc", "floor_mistakes", "floor_stored", "floor_trouble"),
        *("ledger_adds_up", "received", "witnessed_broker"),
    ),
    "daemon": None,
    "daemon/delivery": ("certificates", "states"),
    "daemon/devices": ("exit_sensor", "flapping"),
    "daemon/table": (
        *("clock", "cursor_saved", "judged_ahead", "late_entry", "live_odds", "people", "refusals", "second_login"),
    ),
    "demo": ("demo", "demo_backend", "demo_faults", "demo_picture", "demo_refused", "demo_unread"),
    "config": ("config_of_games", "systemd"),
    "docs": ("asyncapi_parser", "commands", "examples", "mqtt", "readme"),
    "floor": (
        *("attacks", "attacks_past", "check", "command", "fleet", "fleet_network", "kills"),
        *("names_at_a_table", "no_store", "other_store", "page_drawn", "page_past", "page_record"),
        *("record_exported", "small_house", "source", "split_view", "stored_kills", "windows"),
    ),
    "floor/witness": ("feeding",),
    "hardware": ("dwell", "pins", "pty", "sim", "sim_words", "tty"),
    "mqtt": ("mqtt", "mqtt_mistakes", "mqtt_refused", "publish_now", "subscriber"),
    "project": ("build", "install", "package", "scripts"),
    "record": ("deferred", "doctored", "go", "release"),
    "screen": None,
    "soak": None,
}
"""Folder -> its files of tests that start processes, or sleep; None: all of them."""

_PROCESS: Final = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn"})


def is_slow(path: Path) -> bool:
    """Whether a file is left out."""
    names = SLOW.get(str(path.parent.relative_to(ROOT)), ())
    return path.suffix == ".py" and (names is None or path.stem.removeprefix("test_") in names)


def forbid_processes() -> None:
    """Let each start of a process fail from here on."""

    def audit(event: str, _: object) -> None:
        if event in _PROCESS:
            raise RuntimeError("a test of the fast tier starts a process: list its file in tests/fast.py")

    sys.addaudithook(audit)


FIRST: Final = (
    *("topics/test_guided.py", "demo/test_demo_faults.py", "floor/test_attacks_past.py", "floor/test_attacks.py"),
    *("shoe/test_table.py", "golden/test_golden.py", "demo/test_demo.py", "cli/calibrate/test_calibrate_taken_back.py"),
    *("shoe/test_disturbed.py", "daemon/test_no_journal.py", "floor/test_guest_secrets.py", "daemon/test_way.py"),
)
"""The longest files: begun last, they would run alone."""


def in_turn(files: Sequence[Path]) -> list[Path]:
    """Files in the order to run: the longest first, then slow and quick ones in turn, so that some wait, some work."""
    longest = [ROOT / name for name in FIRST if ROOT / name in files]
    rest = [path for path in files if path not in longest]
    slow, quick = ([path for path in rest if is_slow(path) is wanted] for wanted in (True, False))
    places = [(n / len(group), path) for group in (slow, quick) for n, path in enumerate(group)]
    return longest + [path for _, path in sorted(places)]
