"""A few kills of daemon, broker, ingest and database; scripts/stored-kills does 200."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.kit.patience import said, until
from tests.kit.process import python

pytestmark = pytest.mark.story

LIMIT_S = 600.0


def kills(folder: Path, count: int, store: str) -> subprocess.Popen[str]:
    words = ["--kills", str(count), "--seed", "4", "--store", store, "--state", str(folder / "state.json")]
    environment = os.environ | {"TMPDIR": str(folder), "PYTHONPATH": str(Path(__file__).parents[2])}
    return python(
        "-m", "tests.floor.stored_kills", *words, execute=True, stdout=subprocess.PIPE, env=environment, text=True
    )


def has_killed(state: Path) -> bool:
    return state.exists() and bool(json.loads(state.read_text())["done"])


def check_a_run_that_goes_on(folder: Path, store: str) -> None:
    with kills(folder, 1000, store) as first:
        until(lambda: first.poll() is not None or has_killed(folder / "state.json"), LIMIT_S)
        assert first.poll() is None
        first.send_signal(signal.SIGKILL)
    done = json.loads((folder / "state.json").read_text())["done"]["kills"]
    with kills(folder, done + 3, store) as second:
        output, _ = said(second, seconds=LIMIT_S)
    assert f"{done} kills so far" in output
    figures = {name: int(figure) for figure, name in (line.split(maxsplit=1) for line in output.splitlines()[1:-1])}
    assert figures["kills"] == done + 3
    assert figures["cards drawn"] > figures["cards lost"] == 0
    assert figures["missing"] == figures["other bytes"] == figures["not in the journal"] == 0
    assert [path.name for path in folder.iterdir()] == ["state.json"]


def test_a_few_kills_in_any_order_lose_nothing_even_when_the_run_is_killed_too() -> None:
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:  # the name of a socket has 107 bytes at most
        check_a_run_that_goes_on(Path(folder), "sqlite")
