"""A backend's client runs with msgspec and paho-mqtt alone, in an environment that has nothing else."""

from __future__ import annotations

import shutil
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.kit import broker as real
from tests.kit.broker import Broker
from tests.kit.patience import run

ROOT = Path(__file__).parents[2]

brokers, broker = real.brokers, real.broker  # fixtures

PROGRAM = """
import sys
begun_with = set(sys.modules)  # Debian's Python begins with a sitecustomize
from firmware_bridge.client import Rounds, settle
from firmware_bridge.client.floor import Floor, PlainFloor
from firmware_bridge.client.testing import fake_table

with PlainFloor("alone", port={port}, wait_s=0.2) as floor, fake_table(port={port}) as table:
    floor.rounds()
    assert floor.table("T07").bets_open().ok
    table.play(5, {{2: "repeat", 3: "gap", 4: "reorder"}})
    table.status()
    came = []
    for batch in floor.rounds():
        came += [each.raw for each in batch]
        batch.stored()
        if len(came) == 5:
            break
    assert sorted(came) == sorted(table.rounds)
others = {{name.partition(".")[0] for name in set(sys.modules) - begun_with}} - set(sys.stdlib_module_names)
print(sorted(name for name in others if not name.startswith("_")))
"""


@pytest.fixture
def python(tmp_path: Path) -> Path:
    """The interpreter of an environment with the two packages and this one, as they are installed here."""
    home = tmp_path / "alone"
    venv.create(home, symlinks=True)
    [site] = home.glob("lib/python*/site-packages")
    for name in ("msgspec", "paho"):
        spec = find_spec(name)
        assert spec
        assert spec.origin
        shutil.copytree(Path(spec.origin).parent, site / name)
    shutil.copytree(ROOT / "firmware_bridge", site / "firmware_bridge")
    return home / "bin" / "python"


def test_the_client_needs_msgspec_and_paho_alone(python: Path, broker: Broker) -> None:
    command = [str(python), "-I", "-W", "error", "-c", PROGRAM.format(port=broker.port)]
    ended = run(command)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "['firmware_bridge', 'msgspec', 'paho']\n"
