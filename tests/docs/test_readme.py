"""The README keeps to two minutes, and each of its lines works."""

import re
import socket
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import README, ROOT, block
from tests.kit.patience import run, until
from tests.kit.process import python

TEXT = README.read_text("utf-8")
OUTSIDE = re.sub(r"```.*?```", "", TEXT, flags=re.S)
COMMANDS = [line.split("#")[0].strip() for line in re.findall(r"^    (\S.*)$", OUTSIDE, re.M)]

ELSEWHERE = {
    "scripts/test": "this is it",
    "scripts/test tests/shoe": "tests/shoe",
    "scripts/floor": "tests/floor_whole/test_simulated_floor.py",
    "scripts/floor --trouble --people": "tests/floor_whole/test_simulated_floor.py",
    "sudo scripts/install --unsigned": "scripts/test-package, scripts/hil",
    "sudo nano /etc/firmware-bridge/bridge.toml": "an editor",
    "sudo shoe check": "scripts/hil",
    "sudo systemctl enable --now firmware-bridge": "scripts/hil",
}
"""Command of the README that needs more than this test -> what runs it."""


def test_it_is_read_in_two_minutes() -> None:
    lines = TEXT.splitlines()
    assert len(lines) <= 140
    assert max(map(len, lines)) <= 160
    assert len(OUTSIDE.split()) <= 950


@pytest.mark.parametrize("command", [each for each in COMMANDS if each not in ELSEWHERE])
def test_a_line_of_the_quick_start_runs(command: str) -> None:
    if command.startswith("scripts/demo"):
        command += " --rounds 1 --speed 100 --plain"
    done = run(["bash", "-c", command], cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "round" in done.stdout


def test_every_line_of_the_quick_start_is_tried_or_says_where() -> None:
    assert set(ELSEWHERE) < set(COMMANDS)


def test_the_subscriber_hears_the_demo(tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = str(probe.getsockname()[1])
    program = block(README, "python", "loop_forever")
    assert sum(bool(line.strip()) for line in program.splitlines()) <= 15
    heard = tmp_path / "heard"
    demo = ("-m", "firmware_bridge", "demo", "--port", port, "--rounds", "100000", "--speed", "50", "--plain")
    with python(*demo, stdout=subprocess.DEVNULL) as table:
        try:
            until(lambda: _is_there(int(port)))
            with heard.open("w") as out:
                backend = python("-u", "-c", program.replace("18830", port), stdout=out)
            try:
                until(lambda: heard.read_text().count("\n") >= 3, story=heard.read_text)
            finally:
                backend.kill()
                backend.wait()
        finally:
            table.terminate()
    assert re.fullmatch(r"(1 \d+ closed (player|banker|tie)\n)+", heard.read_text().rpartition("\n")[0] + "\n")


def _is_there(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
