"""A step of `shoe calibrate` in this process, at a table whose daemon does not run."""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli.calibrate.session import Session as Work
from firmware_bridge.config.load import load as load_config
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[..., BridgeTable]]:
    made: list[BridgeTable] = []

    def make(**sections: Any) -> BridgeTable:
        made.append(BridgeTable(tmp_path, free_port(), **sections))
        return made[-1]

    yield make
    for each in made:
        each.close()


def visit(table: BridgeTable, what: str, yes: bool = True, patience: float = 20.0) -> Work:
    config = load_config(table.config_path)
    arguments = argparse.Namespace(
        what=what, yes=yes, json=True, by="bo", cards=None, undo=False, open_shoe=False, patience=patience
    )
    arguments.config = table.config_path
    return Work(arguments, config)
