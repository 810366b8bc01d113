"""A demo as a process of its own."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

SHOE = [sys.executable, "-m", "firmware_bridge", "demo"]
LIMIT_S = 120.0

Played = Callable[[str], str]


def environment(folder: Path, **more: str) -> dict[str, str]:
    return os.environ | {"TMPDIR": str(folder), "PYTHONIOENCODING": "utf-8", "RUNTIME_DIRECTORY": str(folder)} | more


def demo(folder: Path, *words: str, code: int = 0, env: dict[str, str] | None = None) -> str:
    """What a demo of seed 3 prints, without the times; it must leave nothing behind."""
    folder.mkdir(exist_ok=True)
    command = [*SHOE, "--seed", "3", "--speed", "200", *words]
    done = subprocess.run(command, env=env or environment(folder), text=True, capture_output=True, timeout=LIMIT_S)
    assert done.returncode == code, done.stdout + done.stderr
    assert list(folder.iterdir()) == []
    return re.sub(r"^ *\d+\.\d\d  ", "", done.stdout + done.stderr, flags=re.MULTILINE)
