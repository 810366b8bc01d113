"""The option `--version` of both commands."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any, Final

from firmware_bridge import __build__, __version__
from firmware_bridge.config.plain import say

CLONE: Final = " clone"
"""What ends the build of a clone."""

RUNS: Final = ("firmware_bridge/", "hardware/")
"""Where a file that git does not know may run all the same."""

ANSWER_S: Final = 5.0
"""Longest wait for git."""


class Version(argparse.Action):
    """Prints name, version and build, and exits. Asks git only here: commands that do not name a version stay quick."""

    def __init__(self, option_strings: list[str], dest: str) -> None:
        super().__init__(option_strings, argparse.SUPPRESS, nargs=0, help="show program's version number and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        """Print it."""
        build = __build__
        if build.endswith(CLONE) and is_dirty(Path(__file__).parents[2]):
            build = f"{build.removesuffix(CLONE)}-dirty{CLONE}"
        say(f"{parser.prog} {__version__}, build {build}")
        parser.exit()


def is_dirty(clone: Path) -> bool:
    """Return whether a clone's files differ from its commit, or sources are new; False if git cannot say."""
    import subprocess

    command = ["git", "-c", f"safe.directory={clone}", "-C", str(clone), "--no-optional-locks", "status", "--porcelain"]
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=ANSWER_S, env=env)
    except (OSError, subprocess.SubprocessError):
        return False
    return any(not line.startswith("??") or line[3:].startswith(RUNS) for line in done.stdout.splitlines())
