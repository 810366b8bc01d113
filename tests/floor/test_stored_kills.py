"""A few kills of daemon, broker, ingest and database; scripts/stored-kills does 200."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

LIMIT_S = 600.0


def kills(folder: Path, count: int, store: str) -> subprocess.Popen[str]:
    words = ["--kills", str(count), "--seed", "4", "--store", store, "--state", str(folder / "state.json")]
    command = [sys.executable, "-m", "tests.floor.stored_kills", *words]
    environment = os.environ | {"TMPDIR": str(folder), "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)


def check_a_run_that_goes_on(folder: Path, store: str) -> None:
    with kills(folder, 1000, store) as first:
        give_up = time.monotonic() + LIMIT_S
        while not (folder / "state.json").exists() or not json.loads((folder / "state.json").read_text())["done"]:
            assert first.poll() is None
            assert time.monotonic() < give_up
            time.sleep(0.05)
        first.send_signal(signal.SIGKILL)
    done = json.loads((folder / "state.json").read_text())["done"]["kills"]
    with kills(folder, done + 3, store) as second:
        try:
            said, _ = second.communicate(timeout=LIMIT_S)
        except subprocess.TimeoutExpired:
            second.kill()
            raise
    assert f"{done} kills so far" in said
    figures = {name: int(figure) for figure, name in (line.split(maxsplit=1) for line in said.splitlines()[1:-1])}
    assert figures["kills"] == done + 3
    assert figures["cards drawn"] > figures["cards lost"] == 0
    assert figures["missing"] == figures["other bytes"] == figures["not in the journal"] == 0
    assert [path.name for path in folder.iterdir()] == ["state.json"]


def test_a_few_kills_in_any_order_lose_nothing_even_when_the_run_is_killed_too() -> None:
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:  # the name of a socket has 107 bytes at most
        check_a_run_that_goes_on(Path(folder), "sqlite")
