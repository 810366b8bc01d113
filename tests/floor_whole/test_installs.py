"""What the documents install, installed as they say, from the package index: a backend's client, a small house's PC."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.test_alone import PROGRAM
from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import run

brokers, broker = real.brokers, real.broker  # fixtures

ROOT = Path(__file__).parents[2]
LIMIT_S = 1200.0


def typed(lines: list[str], folder: Path) -> None:
    """Run lines of a shell; a package index that cannot be had is no fault of theirs."""
    command = ["bash", "-euc", "\n".join(lines)]
    done = run(command, LIMIT_S, cwd=folder)
    if done.returncode and re.search(
        "No matching distribution|Could not fetch|Connection|Temporary failure", done.stderr
    ):
        pytest.skip(f"no package index: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr[-2000:]


def shell(document: str, word: str) -> list[str]:
    """The lines of the block in a document that has a word."""
    text = (ROOT / "docs" / document).read_text("utf-8")
    return next(block for block in re.findall(r"```(?:sh)?\n(.*?)```", text, re.S) if word in block).splitlines()


def packages(environment: Path) -> set[str]:
    """What is installed in an environment, but what it came with."""
    command = [str(environment / "bin/python"), "-m", "pip", "list", "--format=freeze", "--disable-pip-version-check"]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {re.split("[=@ ]", line)[0] for line in said.splitlines()} - {"pip", "setuptools"}


def test_a_backend_installs_two_packages_and_the_client(tmp_path: Path, broker: Broker) -> None:
    environment = tmp_path / "environment"
    lines = [
        line.replace("pip install", f"{environment}/bin/pip install")
        for line in shell("backend.md", "pip install --no-deps")
    ]
    typed([f"{sys.executable} -m venv {environment}"], tmp_path)
    typed(lines, ROOT)
    assert packages(environment) == {"msgspec", "paho-mqtt", "firmware-bridge"}
    command = [str(environment / "bin/python"), "-I", "-W", "error", "-c", PROGRAM.format(port=broker.port)]
    ended = run(command, cwd=tmp_path)
    assert (ended.returncode, ended.stdout) == (0, "['firmware_bridge', 'msgspec', 'paho']\n"), ended.stderr
