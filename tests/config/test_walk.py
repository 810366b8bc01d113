"""A config is read whole, then checked: who follows `load` through the files need not go back and forth."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware_bridge.config.load import load
from firmware_bridge.config.toml_text import in_toml
from tests.config.configs import EVERY_KEY, ORDERS
from tests.kit.walk import ROOT, walk

MOST = 20
"""Stays in files; 41 to 46 while each section was checked as it was read."""

SHIPPED = sorted(
    path for path in Path(ROOT, "systemd").glob("*.toml") if path.name not in ("floor.toml", "witness.toml")
)


def stays(path: Path) -> list[str]:
    load(path)  # what is made once, is made
    return walk(lambda: load(path), "firmware_bridge")


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_the_way_of_a_shipped_config(path: Path) -> None:
    found = stays(path)
    assert found[0] == "firmware_bridge/config/load.py"
    assert len(found) <= MOST, " ".join(found)


def test_the_way_of_a_config_with_every_key(tmp_path: Path) -> None:
    path = tmp_path / "bridge.toml"
    sections = [f"{name} = {in_toml(keys)}\n" for name, keys in EVERY_KEY.items()]
    path.write_text("".join(sections) + f"orders = [{in_toml(ORDERS)}]\n")
    found = stays(path)
    assert len(found) <= MOST, " ".join(found)
