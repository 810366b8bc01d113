"""What status and check tell of a reader that is lent, or whose borrower does not let go of it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firmware_bridge.cli.check.finding import Machine
from firmware_bridge.cli.check.reader import reader
from firmware_bridge.config.load import load
from hardware.ports import close_tty, open_tty
from tests.kit.broker import free_port
from tests.kit.daemon_table import BridgeTable
from tests.kit.technician import Technician, back, order, settled


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Callable[..., BridgeTable]]:
    made: list[BridgeTable] = []

    def make(**sections: Any) -> BridgeTable:
        made.append(BridgeTable(tmp_path, free_port(), **sections))
        return made[-1].start()

    yield make
    for each in made:
        each.close()


def checked(table: BridgeTable) -> tuple[str, str, str]:
    (found,) = reader(Machine(load(table.config_path), table.bridge.control.status()))
    return found.level, found.text.partition(", ")[0].partition("reader: ")[2], found.remedy


def test_a_lent_reader_is_no_failure_and_one_coming_back_neither(table: Callable[..., BridgeTable]) -> None:
    bridge = settled(table())
    anna = Technician(bridge)
    level, text, remedy = checked(bridge)
    assert level == "WARN"
    assert text.startswith("in use by anna for calibration since ")
    assert remedy == "wait, or sudo shoe do take-back --by NAME"
    port = open_tty(str(bridge.folder / "reader"), 115_200)  # her command hangs, and keeps it
    assert order(bridge, "take_back")
    assert bridge.bridge.control.status()["returning"]["to"] == "anna"
    assert checked(bridge)[:2] == ("WARN", "coming back from anna's calibration")
    close_tty(port)
    bridge.until(lambda: back(bridge))
    assert checked(bridge)[0] == "OK"
    assert bridge.bridge.control.status()["returning"] is None
    anna.hang_up()
