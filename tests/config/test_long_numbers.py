"""A number of thousands of digits is a mistake with its line, in each file of TOML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from firmware_bridge.cli.roads import configured
from firmware_bridge.config import calibration
from firmware_bridge.config.load import load
from firmware_bridge.daemon.devices import code_books
from firmware_bridge.errors import ConfigError
from firmware_bridge.floor.config import load as load_floor
from firmware_bridge.floor.page.guest.house import COLOURS, read_house
from firmware_bridge.floor.witness.config import load as load_witness
from tests.kit import command
from tests.kit.rows import each_row

shoe = command.shoe  # a fixture

LOADERS: Final[dict[str, Callable[[Path], object]]] = {
    "bridge.toml": load,
    "roads.toml": configured,
    "floor.toml": load_floor,
    "witness.toml": load_witness,
    "calibration.toml": calibration.load,
    "book.toml": code_books.load,
    COLOURS: lambda path: read_house(str(path.parent)),
}

NUMBERS: Final = {"digits": "7" * 5_000, "hexadecimal": "0x" + "f" * 4_000, "brackets": "[" * 3_000}


@each_row("name", list(LOADERS), ids=str)
@each_row("number", list(NUMBERS), ids=str)
def test_a_number_without_end_is_a_mistake_with_its_line(name: str, number: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(f"# the first line\n\nx = {NUMBERS[number]}\ny = 1\n")
    with pytest.raises(ConfigError, match="line 3"):
        LOADERS[name](path)


def test_shoe_check_names_the_line(tmp_path: Path, shoe: command.Run) -> None:
    path = tmp_path / "bridge.toml"
    path.write_text(f'[table]\nid = "T07"\ndecks = {NUMBERS["digits"]}\n')
    found = shoe("check", "--config", path)
    assert found.code
    assert "line 3: a number has too many digits: decks = 777" in found.out
    assert "give it at most 18 digits" in found.out + found.err
